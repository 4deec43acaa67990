import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A store whose directory is removed, moved away or replaced.
struct StoreDirectoryTests {
  private static let policies = [WritePolicy.durable, .coalesced(within: .seconds(100_000))]

  private func store(
    _ file: TestFile, _ writes: WritePolicy, _ fileSystem: FileSystem = FileSystem()
  ) -> KeyValueStore {
    KeyValueStore(
      FileBackend(
        path: "\(file.directory)/app/settings.json", format: .json, fileSystem: fileSystem),
      writes: writes)
  }

  @Test(arguments: policies)
  func removedDirectoryIsMadeAnew(_ writes: WritePolicy) throws {
    let file = try TestFile()
    let store = store(file, writes)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let heard = Heard<Int>()
    let observation = number.observe { heard.hear($1) }
    number.wrappedValue = 1
    try store.synchronize()
    try Shell.run("rm -r app", in: file.directory)
    #expect(heard.wait(for: 0))
    #expect(heard.all == [1, 0])

    number.wrappedValue = 2
    try store.synchronize()
    #expect(number.error == nil)
    #expect(try self.store(file, .durable).value(of: "number") == 2)
    observation.cancel()
  }

  @Test(arguments: policies)
  func directoryThatCannotBeMadeAnewIsAnError(_ writes: WritePolicy) throws {
    let file = try TestFile()
    let isForbidden = Lock(false)
    let store = store(
      file, writes,
      FileSystem { call, _ in
        call == .mkdir && isForbidden.withLock { $0 } ? EACCES : nil
      })
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    try number.save(1)
    try Shell.run("rm -r app", in: file.directory)
    isForbidden.withLock { $0 = true }
    let error = #expect(throws: KeyValueStoreError.self) { try store.set(2, for: "other") }
    #expect(error?.isFailure(of: "mkdir \(file.directory)/app", EACCES) == true)
    #expect(error?.isReadOnly == true)
    number.wrappedValue = 3
    #expect(throws: try #require(error)) { try store.synchronize() }
    #expect(number.error == error)
    #expect(number.wrappedValue == 3)

    isForbidden.withLock { $0 = false }
    try store.set(2, for: "other")
    #expect(number.error == nil)
    #expect(try self.store(file, .durable).value(of: "number") == 3)
  }

  @Test(arguments: policies)
  func fileInThePlaceOfTheDirectoryIsAnErrorUntilItIsPutBack(_ writes: WritePolicy) throws {
    let file = try TestFile()
    let store = store(file, writes)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    try number.save(1)
    try Shell.run("mv app away; echo text >app", in: file.directory)
    let before = try String(contentsOfFile: "\(file.directory)/away/settings.json", encoding: .utf8)
    #expect {
      try store.set(2, for: "other")
    } throws: { error in
      guard case .system(_, _, ENOTDIR)? = error as? KeyValueStoreError else { return false }
      return true
    }
    number.wrappedValue = 3
    #expect(throws: KeyValueStoreError.self) { try store.synchronize() }
    #expect(number.error != nil)
    #expect(number.wrappedValue == 3)
    let after = try String(contentsOfFile: "\(file.directory)/away/settings.json", encoding: .utf8)
    #expect(after == before)
    #expect(try String(contentsOfFile: "\(file.directory)/app", encoding: .utf8) == "text\n")

    try Shell.run("rm app; mv away app", in: file.directory)
    try store.synchronize()
    #expect(number.error == nil)
    #expect(try self.store(file, .durable).value(of: "number") == 3)
    try store.set(2, for: "other")
    #expect(try self.store(file, .durable).keys() == ["number", "other"])
  }
}
