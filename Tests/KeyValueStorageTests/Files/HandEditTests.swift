import Concurrency
import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Mistakes in a file that is edited by hand while a program runs.
struct HandEditTests {
  private static let kinds = KeyValueFormat.allCases.flatMap { format in
    EditorSave.available(forText: format != .binaryPropertyList).map { (format, $0) }
  }

  /// Waits for a report about a file, and returns all.
  private func reports(about file: TestFile) async throws -> [KeyValueStoreError] {
    try await suspend { !ReportedFailures.about(file).isEmpty }
    return ReportedFailures.about(file)
  }

  @Test(arguments: HandEdit.Mistake.allCases, kinds)
  func eachMistakeIsToldOnceAndTheLastValidValuesRemain(
    _ mistake: HandEdit.Mistake, _ kind: (format: KeyValueFormat, save: EditorSave)
  ) async throws {
    let file = try TestFile(kind.format)
    try HandEdit(file.format, number: 1).bytes.write(to: URL(filePath: file.path))
    let settings = DaemonSettings(in: file.open(gracePeriod: .seconds(1)))
    let heard = Heard<Int>()
    let observation = settings.server.observe { heard.hear($1.port) }
    #expect(settings.values == "push a:1 b:1,c:2 0.5")

    let wrong = try HandEdit(file.format, number: 2, mistake)
    try kind.save.save(wrong.bytes, to: file.path)
    // No property is read until then.
    let error = try #require(try await reports(about: file).first)
    let place = wrong.position.map { "line \($0.line), column \($0.column): " }
    if let message = mistake.message {
      #expect(
        "\(error)".hasPrefix("\(file.path)\(place.map { ", \($0)" } ?? ": ")\(message.text). Corr"),
        "\(error)")
      #expect(settings.errors == [message.key: error])
    } else {
      let parsed = "\(file.path) cannot be read at \(place ?? "byte")"
      #expect("\(error)".hasPrefix(parsed), "\(error)")
      #expect(Set(settings.errors.values) == [error] && settings.errors.count == 4)
    }
    let isServerValid = mistake.message.map { $0.key != "server" } ?? false
    #expect(settings.values == "push a:\(isServerValid ? 2 : 1) b:1,c:2 0.5")
    #expect(!"\(error)".contains("psh") && !"\(error)".contains("loud"))
    await #expect(throws: error) {
      _ = try await settings.mode.load()
      _ = try await settings.server.load()
      _ = try await settings.servers.load()
      _ = try await settings.volume.load()
    }

    let repaired = try HandEdit(file.format, number: 3)
    try kind.save.save(repaired.bytes, to: file.path)
    try await suspend { heard.all.last == 3 }
    #expect(settings.values == "push a:3 b:1,c:2 0.5")
    #expect(settings.errors == [:])
    #expect(heard.all == (isServerValid ? [2, 3] : [3]))
    #expect(ReportedFailures.about(file) == [error])
    observation.cancel()
  }

  @Test func mistakeThatRecursIsToldAgainAndAnotherLineIsNot() async throws {
    let file = try TestFile()
    let store = file.open()
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    func overwrite(_ text: String, until count: Int) async throws {
      try file.overwrite(text)
      try await suspend { ReportedFailures.about(file).count == count }
    }
    try file.overwrite(#"{"volume": 0.5}"#)
    #expect(volume.wrappedValue == 0.5)
    try await overwrite(#"{"volume": "loud"}"#, until: 1)
    // The mistake moves to another line; its place in the property's error follows.
    try file.overwrite("{\n\"a\": 1, \"volume\": \"loud\"}")
    try await suspend {
      guard case .undecodable(let value) = volume.error else { return false }
      return value.line == 2
    }
    // An attempt to correct it that fails as well.
    try await overwrite(#"{"volume": "quiet"}"#, until: 2)
    try file.overwrite(#"{"volume": 0.25}"#)
    try await suspend { volume.wrappedValue == 0.25 }
    #expect(volume.error == nil)
    try await overwrite(#"{"volume": "loud"}"#, until: 3)
    #expect(volume.wrappedValue == 0.25)
    // A set replaces the invalid value.
    volume.wrappedValue = 1
    #expect(volume.error == nil)
    try await overwrite(#"{"volume": "loud"}"#, until: 4)
    #expect(volume.wrappedValue == 1)
    #expect(Set(ReportedFailures.about(file)).count == 1)
  }

  enum Method: CaseIterable {
    case save, saveAsynchronously, set, setInTransaction, remove
  }

  @Test(arguments: Method.allCases)
  func aValueThatAMethodStoredIsTheLastValidOne(_ method: Method) async throws {
    let file = try TestFile()
    try file.overwrite(#"{"volume": 0.5}"#)
    let store = file.open()
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    #expect(volume.wrappedValue == 0.5)
    switch method {
    case .save: try { try volume.save(0.25) }()
    case .saveAsynchronously: try await volume.save(0.25)
    case .set: try await store.set(0.25, for: "volume")
    case .setInTransaction: try await store.transaction { volume.wrappedValue = 0.25 }
    case .remove: try await store.remove("volume")
    }
    // A check of the properties follows all but a save.
    await withCheckedContinuation { done in store.background.run { done.resume() } }
    try file.overwrite(#"{"volume": "loud"}"#)
    _ = try await reports(about: file)
    #expect(volume.wrappedValue == (method == .remove ? 0.8 : 0.25))
  }

  @Test func changeInPlaceOfAnInvalidValueIsRefusedUntilItIsCorrected() throws {
    let file = try TestFile()
    try file.overwrite(#"{"list": [1]}"#)
    let list = StoredValue(wrappedValue: [0], "list", in: file.open())
    #expect(list.wrappedValue == [1])
    try file.overwrite(#"{"list": [1, "2"]}"#)
    #expect(throws: KeyValueStoreError.self) { try list.load() }
    list.wrappedValue.append(3)
    #expect(list.wrappedValue == [1])
    #expect(list.error?.description.contains("line 1, column 14: list[1] is a string") == true)
    #expect(try file.text == #"{"list": [1, "2"]}"#)
    try file.overwrite(#"{"list": [1, 2]}"#)
    #expect(try list.load() == [1, 2])
    #expect(list.error == nil)
    list.wrappedValue.append(3)
    #expect(try file.open().value(of: "list") == [1, 2, 3])
  }

  @Test func propertyThatIsCreatedLaterHasTheLastValidValueOfAnEarlierOne() throws {
    let file = try TestFile()
    try file.overwrite(#"{"volume": 0.5}"#)
    let store = file.open()
    #expect(StoredValue<Double>(wrappedValue: 0.8, "volume", in: store).wrappedValue == 0.5)
    try file.overwrite(#"{"volume": "loud"}"#)
    #expect(throws: Never.self) { try store.load() }
    let later = StoredValue(wrappedValue: 0.8, "volume", in: store)
    #expect(later.wrappedValue == 0.5)
    #expect(StoredValue(wrappedValue: "none", "volume", in: store).wrappedValue == "loud")
    // Nothing was valid as an integer.
    #expect(StoredValue(wrappedValue: 7, "volume", in: store).wrappedValue == 7)
    // Another store does not know the value.
    #expect(StoredValue<Double>(wrappedValue: 0.8, "volume", in: file.open()).wrappedValue == 0.8)
    // Without a value, the default one is valid.
    try file.overwrite(#"{"other": 1}"#)
    #expect(try later.load() == 0.8)
    try file.overwrite(#"{"volume": "loud"}"#)
    #expect(throws: KeyValueStoreError.self) { try later.load() }
    #expect(later.wrappedValue == 0.8)
  }

  @Test func valuesBeginWithTheLastValidValue() async throws {
    let file = try TestFile()
    try file.overwrite(#"{"volume": 0.5}"#)
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: file.open())
    #expect(volume.wrappedValue == 0.5)
    try file.overwrite(#"{"volume": "loud"}"#)
    #expect(throws: KeyValueStoreError.self) { try volume.load() }
    var values = volume.values.makeAsyncIterator()
    #expect(await values.next() == 0.5)
    try file.overwrite(#"{"volume": 0.25}"#)
    #expect(await values.next() == 0.25)
  }

  @Test func propertiesThatNobodyReadsAreCheckedWhenTheFileIsRead() throws {
    let file = try TestFile()
    try file.overwrite(#"{"mode": "psh", "volume": "loud", "server": 1}"#)
    let settings = DaemonSettings(in: file.open())
    _ = StoredValue(wrappedValue: 0, "released", in: settings.store)
    #expect(settings.servers.wrappedValue == [])
    try wait { ReportedFailures.about(file).count == 3 }
    #expect(settings.errors.count == 3)
    #expect(settings.values == "pull localhost:80  0.8")
    #expect(ReportedFailures.about(file).count == 3)
  }

  @Test func twoStoresAreToldApart() throws {
    let files = [try TestFile(), try TestFile()]
    let properties = try files.map { file in
      try file.overwrite(#"{"volume": "loud"}"#)
      return StoredValue(wrappedValue: 0.8, "volume", in: file.open())
    }
    for (file, property) in zip(files, properties) {
      #expect(property.wrappedValue == 0.8)
      #expect(ReportedFailures.about(file).map { "\($0)".hasPrefix("\(file.path), ") } == [true])
    }
  }

  /// A read by the program may meet a file that an editor is writing.
  @Test func loadReportsOnlyAMistakeThatLasts() async throws {
    let file = try TestFile()
    try file.overwrite(#"{"volume": 0.5}"#)
    let patientStore = file.openPatiently()
    try await patientStore.load()
    try file.overwrite("{")
    #expect(throws: KeyValueStoreError.self) { try patientStore.load() }
    #expect(ReportedFailures.about(file).isEmpty)
    let store = file.open()
    #expect(throws: KeyValueStoreError.self) { try store.load() }
    #expect(try await reports(about: file).count == 1)
    try file.overwrite("{}")
    try await store.load()
    try await patientStore.load()
    #expect(ReportedFailures.about(file).count == 1)
  }

  @Test func fileThatTheStoreWroteHasPositionsToo() throws {
    for format in KeyValueFormat.allCases {
      let file = try TestFile(format)
      let store = file.open()
      try store.set(["port": "x"], for: "server")
      try store.set(1, for: "a")
      let error = #expect(throws: KeyValueStoreError.self) {
        try store.value(of: "server", as: [String: Int].self)
      }
      let place = [
        .json: ", line 4, column 13", .xmlPropertyList: ", line 10, column 3",
      ][format, default: ""]
      #expect(
        "\(error!)".hasPrefix("\(file.path)\(place): server.port is a string, expected a number."),
        "\(error!)")
    }
  }
}
