import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A user's last inotify instances, without which other processes of the user cannot watch files.
struct InotifyLimitCampaign {
  @Test func storesAreCurrentWithoutInotify() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        // The kernel closes them with the process.
        while inotify_init1(Int32(IN_CLOEXEC)) != -1 {}
        let code = errno
        #expect(code == EMFILE)
        let file = try TestFile()
        let settings = (0..<20).map { _ in file.number() }
        let heard = settings.map { HeardValues(of: $0) }
        for value in 1...3 {
          try file.open().set(value, for: "number")
          #expect(settings.allSatisfy { $0.wrappedValue == value })
          for heard in heard { heard.wait(for: value) }
        }
        #expect(try FileSystem().threads(named: "locket-inotify").isEmpty)
      }
    }
  }
}
