import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

struct StoreDirectoryTests {
  private static let policies = [WritePolicy.durable, .coalesced(within: .seconds(100_000))]

  private func store(
    _ file: TestFile, _ writes: WritePolicy, _ fileSystem: FileSystem = FileSystem()
  ) -> KeyValueStore {
    let store = KeyValueStore(
      FileBackend(
        path: "\(file.directory)/app/settings.json", format: .json, fileSystem: fileSystem,
        gracePeriod: .zero),
      writes: writes)
    store.lockTimeout = .seconds(100_000)
    return store
  }

  @Test(arguments: policies)
  func removedDirectoryIsCreatedAgain(_ writes: WritePolicy) throws {
    let file = try TestFile()
    let store = store(file, writes)
    let number = file.number(in: store)
    let heard = HeardValues(of: number)
    number.wrappedValue = 1
    try store.synchronize()
    try Shell.run("rm -r app", in: file.directory)
    heard.wait(for: 0)
    #expect(heard.all == [1, 0])
    number.wrappedValue = 2
    try store.synchronize()
    #expect(number.error == nil)
    #expect(try self.store(file, .durable).value(of: "number") == 2)
  }

  enum Obstacle: CaseIterable { case forbiddenDirectory, fileInItsPlace }

  @Test(arguments: zip(Obstacle.allCases + Obstacle.allCases, policies + policies.reversed()))
  func unusableDirectoryIsAnError(_ obstacle: Obstacle, _ writes: WritePolicy) throws {
    let file = try TestFile()
    let outage = Outage(of: .mkdir, code: EACCES, isOn: false)
    let store = store(file, writes, outage.fileSystem)
    let number = file.number(in: store)
    try number.save(1)
    try Shell.run("mv app away", in: file.directory)
    switch obstacle {
    case .forbiddenDirectory: outage.begin()
    case .fileInItsPlace: try Shell.run("echo text >app", in: file.directory)
    }
    let changes: [() throws -> Void] = [
      { try store.set(2, for: "other") },
      {
        number.wrappedValue = 3
        try store.synchronize()
      },
    ]
    for change in changes {
      let error = #expect(throws: KeyValueStoreError.self, performing: change)
      guard case .system(let call, let path, let code)? = error else {
        Issue.record("The error is \(String(describing: error))")
        return
      }
      #expect(code == (obstacle == .fileInItsPlace ? ENOTDIR : EACCES))
      if code == EACCES { #expect("\(call) \(path)" == "mkdir \(file.directory)/app") }
    }
    #expect(number.error != nil && number.wrappedValue == 3)
    outage.end()
    if obstacle == .fileInItsPlace {
      let text = try String(contentsOfFile: "\(file.directory)/app", encoding: .utf8)
      #expect(text == "text\n")
      try Shell.run("rm app", in: file.directory)
    }
    // Nothing was written to the directory under its new name.
    try Shell.run("grep -q '\"number\": 1' away/settings.json; mv away app", in: file.directory)
    try store.set(2, for: "other")
    #expect(number.error == nil)
    #expect(try self.store(file, .durable).value(of: "number") == 3)
    #expect(try self.store(file, .durable).keys() == ["number", "other"])
  }
}
