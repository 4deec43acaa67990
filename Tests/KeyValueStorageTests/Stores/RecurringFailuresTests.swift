import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The default handler of failures that recur after others and a success.
struct RecurringFailuresTests {
  @Test func failureIsPrintedAgainAfterOthers() async throws {
    // Made here, because it sets the handler of the process.
    let directory = try TemporaryDirectory()
    let path = directory("settings.json")
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = path as String] in
      recordingErrors {
        // Not observed: a thread of the store could end a failure by what it read before.
        let store = KeyValueStore(HookedBackend(base: FileBackend(path: path, format: .json)))
        let number = StoredValue(wrappedValue: 0, "number", in: store)
        for _ in 1...2 {
          for text in ["{", "{\n{", #"{"number": "text"}"#, #"{"number": []}"#] {
            try FileSystem().replaceFile(at: path, with: Array(text.utf8))
            #expect(throws: KeyValueStoreError.self) { try number.load() }
            for _ in 0..<2 { KeyValueStore.onFailure(try #require(number.error)) }
          }
          try FileSystem().replaceFile(at: path, with: Array(#"{"number": 1}"#.utf8))
          #expect(try number.load() == 1 && number.error == nil)
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for message in ["at line 1", "at line 2", "found a string", "found an array"] {
      #expect(text.split(separator: "\n").count { $0.contains(message) } == 2, "\(text)")
    }
  }
}
