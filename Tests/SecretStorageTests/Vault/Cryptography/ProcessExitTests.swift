import CLibrary
import Concurrency
import Dispatch
import SecretStorage
import TestSupport
import Testing

/// The exit of a process whose other threads use the library.
struct ProcessExitTests {
  @Test(arguments: 0..<Campaign.size(sample: 3, full: 100))
  func busyThreadsDoNotCrash(round: Int) async {
    await #expect(processExitsWith: .success) {
      let cipher = OpenSSLCipher()
      let firstUses = DispatchGroup()
      for _ in 0..<8 {
        firstUses.enter()
        let code = DetachedThread.start {
          do {
            let key = try cipher.deriveKey(from: Secret("key".utf8), salt: [], purpose: "test")
            firstUses.leave()
            while true {
              _ = try cipher.deriveKey(from: key, salt: [], purpose: "test")
              _ = try cipher.seal(key, with: key, authenticating: [])
            }
          } catch {
            Issue.record(error)
          }
        }
        #expect(code == 0)
      }
      firstUses.wait()
      exit(0)
    }
  }
}
