import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

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

  @Test func printAndDumpShowKeyAndValue() throws {
    struct Settings { @StoredValue("volume", in: KeyValueStore()) var volume = 0.8 }
    let settings = Settings()
    settings.volume = 0.5
    #expect("\(settings.$volume)" == #"StoredValue("volume": 0.5)"#)
    #expect("\(settings)" == #"Settings(_volume: StoredValue("volume": 0.5))"#)
    var text = ""
    dump(settings.$volume, to: &text)
    #expect(text.contains(#"- key: "volume""#) && text.contains("- value: 0.5"))
    #expect(text.split(separator: "\n").count == 3)
  }

  @Test func constantIsChangedByItsValue() {
    let list = StoredValue(wrappedValue: [1], "list", in: KeyValueStore())
    list.value.append(2)
    #expect(list.value == [1, 2] && list.wrappedValue == [1, 2])
    list.value = []
    #expect(list.wrappedValue == [])
  }

  @Test(arguments: stores)
  func valueIsTheDefaultUntilOneIsSet(_ format: KeyValueFormat?) throws {
    let file = try format.map { try TestFile($0) }
    let store = file?.open() ?? KeyValueStore()
    let player = Player(store)
    #expect(player.volume == 0.8 && player.nickname == nil)
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
      #expect(player.volume == 0.25 && player.nickname == "x")
      #expect(player.window == Window(width: 80, title: "main") && player.list == [2])
    }
    #expect(try store.keys() == ["list", "nickname", "volume", "window"])
    player.nickname = nil
    player.$volume.reset()
    #expect(player.nickname == nil && player.volume == 0.8)
    #expect(try store.keys() == ["list", "window"])
  }

  @Test func wrappersOfAKeyShareItsValue() throws {
    let file = try TestFile()
    let store = file.open(.coalesced(within: .seconds(100_000)))
    let (first, second) = (file.number(in: store), file.number(in: store))
    for number in 1...10 {
      first.wrappedValue = number
      #expect(second.wrappedValue == number)
      second.wrappedValue += 1
      #expect(first.wrappedValue == number + 1)
    }
  }

  @Test func nilReplacesANonNilDefault() throws {
    let file = try TestFile()
    let color = StoredValue<String?>(wrappedValue: "red", "color", in: file.open())
    color.wrappedValue = nil
    #expect(color.wrappedValue == nil)
    #expect(try file.text == "{\n  \"color\": null\n}\n")
    #expect(StoredValue<String?>(wrappedValue: "red", "color", in: file.open()).wrappedValue == nil)
    #expect(StoredValue<String?>("color", in: file.open()).wrappedValue == nil)
    color.reset()
    #expect(color.wrappedValue == "red")
    let bad = StoredValue<Unencodable?>(wrappedValue: .init(isBad: true), "bad", in: file.open())
    bad.wrappedValue = nil
    #expect(bad.wrappedValue == nil && bad.error == nil)
  }

  @Test func valueOfAnotherTypeIsAnErrorOfItsKey() throws {
    let file = try TestFile()
    try file.overwrite(#"{"volume": "loud", "nickname": "x", "list": [1, "2"]}"#)
    let player = Player(file.open())
    #expect(player.volume == 0.8 && player.nickname == "x")
    #expect(player.list == [])
    #expect(player.$volume.isSet)
    #expect(player.$nickname.error == nil)
    let error = KeyValueStoreError.undecodable(
      UndecodableValue(
        key: "volume", type: "Double", reason: "expected a number", found: "\"loud\"",
        place: file.place(1, 12)))
    #expect(player.$volume.error == error)
    #expect(throws: error) { try player.$volume.load() }
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

  @Test func unencodableValueChangesNothing() throws {
    let setting = StoredValue(wrappedValue: Unencodable(isBad: false), "key", in: KeyValueStore())
    setting.wrappedValue = Unencodable(isBad: true)
    #expect(setting.wrappedValue == Unencodable(isBad: false) && !setting.isSet)
    let error = KeyValueStoreError.unencodable(
      key: "key", type: "Unencodable", reason: "a part of it cannot be encoded")
    #expect(setting.error == error)
    #expect(throws: error) { try setting.save(Unencodable(isBad: true)) }
    setting.wrappedValue = Unencodable(isBad: false)
    #expect(setting.error == nil)
    #expect(setting.isSet)
  }

  @Test func setInATransactionEndsARejection() throws {
    let setting = StoredValue(wrappedValue: Unencodable(isBad: false), "key", in: KeyValueStore())
    let errors = Heard<Bool>()
    let observation = setting.observeErrors { errors.hear($0 != nil) }
    setting.wrappedValue = Unencodable(isBad: true)
    struct Abandoned: Error {}
    #expect(throws: Abandoned.self) {
      try setting.store.transaction {
        setting.wrappedValue = Unencodable(isBad: false)
        throw Abandoned()
      }
    }
    setting.store.finishHandlers()
    #expect(setting.error == nil)
    #expect(errors.all == [true, false])
    observation.cancel()
  }

  /// A value that no `Codable` type has, such as one with a key twice or a UID.
  @Test(arguments: KeyValueFormat.allCases)
  func unknownValueIsKept(_ format: KeyValueFormat) throws {
    let bytes =
      switch format {
      case .json: Array(#"{"a":  {"x":1e3,"x":2}}"#.utf8)
      case .xml:
        Array("<plist><dict><!-- x --><key>a</key> <integer>0x1</integer></dict></plist>".utf8)
      case .binary: BinaryPropertyListFile.of([0x80, 7]).bytes
      }
    let before = try format.coding.parse(bytes).entries
    let file = try TestFile(format)
    try Data(bytes).write(to: URL(filePath: file.path))
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: file.open())
    volume.wrappedValue = 0.25
    #expect(volume.error == nil)
    let after = try format.coding.parse(file.bytes).entries
    #expect(after.map(\.key.string) == ["a", "volume"])
    #expect(after.first?.text == before.first?.text)
  }
}
