import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

struct Window: Codable, Equatable, Sendable {
  var width = 80
  var title: String?
}

struct StoredValueTests {
  private struct Player: Sendable {
    @StoredValue var volume: Double
    @StoredValue var nickname: String?
    @StoredValue var window: Window
    @StoredValue var list: [Int]

    init(_ store: KeyValueStore) {
      _volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
      _nickname = StoredValue("nickname", in: store)
      _window = StoredValue(wrappedValue: Window(), "window", in: store)
      _list = StoredValue(wrappedValue: [], "list", in: store)
    }
  }

  static var stores: [KeyValueFormat?] { KeyValueFormat.allCases + [nil] }

  @Test(arguments: stores)
  func valueIsTheDefaultUntilOneIsSet(_ format: KeyValueFormat?) throws {
    let file = try format.map { try TestFile($0) }
    let store = file?.open() ?? KeyValueStore()
    let player = Player(store)
    #expect(player.volume == 0.8)
    #expect(player.nickname == nil)
    #expect(!player.$volume.isSet)
    #expect(try player.$volume.load() == 0.8)

    player.volume = 0.25
    player.nickname = "x"
    player.window.title = "main"
    player.list.append(1)
    player.list[0] += 1
    #expect(player.$volume.isSet)
    #expect(player.$volume.error == nil)
    for player in [player, Player(file?.open() ?? store)] {
      #expect(player.volume == 0.25)
      #expect(player.nickname == "x")
      #expect(player.window == Window(width: 80, title: "main"))
      #expect(player.list == [2])
    }
    #expect(try store.keys() == ["list", "nickname", "volume", "window"])

    player.nickname = nil
    player.$volume.reset()
    #expect(player.nickname == nil)
    #expect(player.volume == 0.8)
    #expect(try store.keys() == ["list", "window"])
  }

  @Test func wrappersOfOneKeySeeEachOtherAtOnce() throws {
    let file = try TestFile()
    let store = file.open(.coalesced(within: .seconds(1000)))
    let first = StoredValue(wrappedValue: 0, "n", in: store)
    let second = StoredValue(wrappedValue: 0, "n", in: store)
    for number in 1...100 {
      first.wrappedValue = number
      #expect(second.wrappedValue == number)
      second.wrappedValue += 1
      #expect(first.wrappedValue == number + 1)
    }
  }

  @Test func nilIsStoredWhereTheDefaultIsNot() throws {
    let file = try TestFile()
    let color = StoredValue<String?>(wrappedValue: "red", "color", in: file.open())
    color.wrappedValue = nil
    #expect(color.wrappedValue == nil)
    #expect(try file.text == "{\n  \"color\": null\n}\n")
    #expect(StoredValue<String?>(wrappedValue: "red", "color", in: file.open()).wrappedValue == nil)
    #expect(StoredValue<String?>("color", in: file.open()).wrappedValue == nil)
    color.reset()
    #expect(color.wrappedValue == "red")
  }

  @Test func changesInPlaceOfManyThreadsAddUp() throws {
    let store = try TestFile().open(.coalesced(within: .seconds(1000)))
    let counter = StoredValue(wrappedValue: 0, "counter", in: store)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 { counter.wrappedValue += 1 }
    }
    #expect(counter.wrappedValue == 4000)
  }

  @Test func valueOfAnotherTypeIsThatKeysErrorAlone() throws {
    let file = try TestFile()
    try file.overwrite(#"{"volume": "loud", "nickname": "x", "list": [1, "2"]}"#)
    let player = Player(file.open())
    #expect(player.volume == 0.8)
    #expect(player.nickname == "x")
    #expect(player.list == [])
    #expect(player.$volume.isSet)
    #expect(player.$nickname.error == nil)
    #expect(
      player.$volume.error
        == .undecodable(
          UndecodableValue(
            store: file.path, key: "volume", type: "Double",
            reason: "is a string, expected a number", line: 1, column: 12)))
    let error = #expect(throws: KeyValueStoreError.self) { try player.$volume.load() }
    #expect(error == player.$volume.error)
    #expect(!"\(error!)".contains("loud"))

    // Writing another key preserves the invalid value.
    player.nickname = "y"
    #expect(try file.text.contains(#""volume": "loud""#))
    player.volume = 0.5
    #expect(player.$volume.error == nil)
    #expect(Player(file.open()).volume == 0.5)
  }

  private struct Unencodable: Codable, Equatable, Sendable {
    var isBad = false

    func encode(to encoder: any Encoder) throws {
      if isBad {
        throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: ""))
      }
      var container = encoder.singleValueContainer()
      try container.encode("good")
    }

    init(isBad: Bool) { self.isBad = isBad }
    init(from decoder: any Decoder) throws {}
  }

  @Test func valueThatCannotBeEncodedChangesNothing() throws {
    let store = KeyValueStore()
    let setting = StoredValue(wrappedValue: Unencodable(isBad: false), "key", in: store)
    setting.wrappedValue = Unencodable(isBad: true)
    #expect(setting.wrappedValue == Unencodable(isBad: false))
    #expect(!setting.isSet)
    guard case .unencodable = setting.error else {
      Issue.record("\(String(describing: setting.error))")
      return
    }
    #expect(throws: KeyValueStoreError.self) { try setting.save(Unencodable(isBad: true)) }
    setting.wrappedValue = Unencodable(isBad: false)
    #expect(setting.error == nil)
    #expect(setting.isSet)
  }

  @Test(arguments: KeyValueFormat.allCases)
  func unknownKeysAndTheirSpellingSurvive(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let foreign = #""big": 12345678901234567890, "exp": 1e3, "list": [ 1.0,2 ]"#
    if format == .json {
      try file.overwrite("{\(foreign), \"a/b.c\": {\"x\":1,\"x\":2}}")
    } else {
      let python =
        "import plistlib,sys;plistlib.dump({'uid': plistlib.UID(7), 'n': 2**63}, "
        + "open(sys.argv[1],'wb'), fmt=plistlib.FMT_BINARY)"
      if format == .xmlPropertyList {
        try file.overwrite(
          "<plist><dict><!-- mine --><key>hex</key> <integer>0x10</integer></dict></plist>")
      } else {
        try Python.run(python, [file.path])
      }
    }
    let store = file.open()
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    volume.wrappedValue = 0.25
    #expect(volume.error == nil)
    switch format {
    case .json:
      #expect(
        try file.text == """
          {
            "a/b.c": {"x":1,"x":2},
            "big": 12345678901234567890,
            "exp": 1e3,
            "list": [ 1.0,2 ],
            "volume": 0.25
          }

          """)
    case .xmlPropertyList:
      #expect(try file.text.contains("<!-- mine --><key>hex</key> <integer>0x10</integer>"))
    case .binaryPropertyList:
      try Python.run(
        "import plistlib,sys; d = plistlib.load(open(sys.argv[1],'rb')); "
          + "assert d == {'uid': plistlib.UID(7), 'n': 2**63, 'volume': 0.25}, d", [file.path])
    }
    if format == .json {
      #expect(try store.value(of: "big") == 12_345_678_901_234_567_890 as UInt64)
    }
  }
}
