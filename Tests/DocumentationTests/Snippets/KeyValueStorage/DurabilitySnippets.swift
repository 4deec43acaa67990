import CLibrary
import Dispatch
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The code of the article "Durability".
final class DurabilitySnippets: DirectoryTests {
  @Test func handledTerminationWritesUnsavedValues() async throws {
    let file = directory.url.appending(path: "settings.json")
    await #expect(processExitsWith: .exitCode(0)) { [path = file.path as String] in
      let store = KeyValueStore(
        json: URL(filePath: path), writes: .coalesced(within: .seconds(100_000)))
      let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
      volume.wrappedValue = 0.5
      let termination = DispatchSource.makeSignalSource(signal: SIGTERM)
      termination.setEventHandler { exit(0) }
      // Before the registration, the signal ends the process.
      termination.setRegistrationHandler { kill(getpid(), SIGTERM) }
      termination.activate()
      while true { pause() }
    }
    #expect(try KeyValueStore(json: file).value(of: "volume") == 0.5)
  }
}
