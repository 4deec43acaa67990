import CLibrary
import Dispatch
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The code of the article "Durability", and its statements about the end of a process.
struct DurabilitySnippets {
  private let directory: TemporaryDirectory
  private var file: URL { directory.url.appending(path: "settings.json") }

  init() throws { directory = try TemporaryDirectory() }

  private static func volume(in path: String) -> StoredValue<Double> {
    let store = KeyValueStore(
      json: URL(filePath: path), writes: .coalesced(within: .seconds(100_000)))
    return StoredValue(wrappedValue: 0.8, "volume", in: store)
  }

  private var written: Double? {
    get throws { try KeyValueStore(json: file).value(of: "volume") }
  }

  @Test func handledTerminationWritesWhatIsUnsaved() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = file.path as String] in
      let volume = Self.volume(in: path)
      volume.wrappedValue = 0.5
      let termination = DispatchSource.makeSignalSource(signal: SIGTERM)
      termination.setEventHandler { exit(0) }
      // Before the registration, the signal ends the process.
      termination.setRegistrationHandler { kill(getpid(), SIGTERM) }
      termination.activate()
      while true { pause() }
    }
    #expect(try written == 0.5)
  }

  @Test func terminationThatIsNotHandledLosesWhatIsUnsaved() async throws {
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = file.path as String] in
      let volume = Self.volume(in: path)
      try await volume.save(0.25)
      volume.wrappedValue = 0.5
      kill(getpid(), SIGTERM)
      while true { pause() }
    }
    #expect(try written == 0.25)
  }

  @Test func exitInsideATransactionWritesNothing() async throws {
    await #expect(processExitsWith: .exitCode(0)) { [path = file.path as String] in
      let volume = Self.volume(in: path)
      try await volume.save(0.25)
      volume.wrappedValue = 0.5
      try await volume.store.transaction {
        volume.wrappedValue = 0.1
        exit(0)
      }
    }
    #expect(try written == 0.25)
  }
}
