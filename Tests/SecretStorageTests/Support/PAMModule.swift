import StorageInternals
import TestSupport

/// The PAM module of the tests, which `Fixtures/pam-module.c` describes.
enum PAMModule {
  /// The bytes of the module; nil without a C compiler or without libpam to link to.
  static let library: [UInt8]? = {
    do {
      let directory = try TemporaryDirectory()
      let source = "\(#filePath.parentDirectory.parentDirectory)/Fixtures/pam-module.c"
      let command = "cc -shared -fPIC -o \"$0\" \"$1\" -l:libpam.so.0 2>&1"
      try ChildProcess(
        "/bin/sh", ["-c", command, directory("module.so"), source], output: directory("log")
      ).wait()
      return try content(of: directory("module.so"))
    } catch {
      return nil
    }
  }()

  static var isThere: Bool { library != nil }
}
