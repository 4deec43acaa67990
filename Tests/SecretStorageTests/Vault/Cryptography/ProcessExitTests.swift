import CLibrary
import Concurrency
import Dispatch
import SecretStorage
import TestSupport
import Testing

/// The exit of a process whose other threads use the library.
struct ProcessExitTests {
  @Test(arguments: 0..<Campaign.size(sample: 2, full: 100))
  func busyThreadsDoNotCrashAtExit(round: Int) async {
    await #expect(processExitsWith: .success) {
      let cipher = OpenSSLCipher()
      let (firstUses, laterUses) = (DispatchGroup(), DispatchGroup())
      for _ in 0..<8 {
        firstUses.enter()
        laterUses.enter()
        let code = DetachedThread.start {
          do {
            let key = try cipher.deriveKey(from: "key", salt: [], purpose: "test")
            firstUses.leave()
            // Busy threads would delay the first uses.
            firstUses.wait()
            var isFirst = true
            while true {
              _ = try cipher.deriveKey(from: key, salt: [], purpose: "test")
              _ = try cipher.seal(key, with: key, authenticating: [])
              if isFirst { laterUses.leave() }
              isFirst = false
            }
          } catch {
            Issue.record(error)
            exit(1)
          }
        }
        #expect(code == 0)
      }
      laterUses.wait()
      exit(0)
    }
  }
}
