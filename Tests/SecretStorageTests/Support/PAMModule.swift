import StorageInternals
import TestSupport

/// A PAM module, built for the tests, that asks and checks what its arguments say.
///
/// The modules of a system ask at most one hidden question.
enum PAMModule {
  /// The bytes of the module; nil without a C compiler or without libpam to link to.
  static let library: [UInt8]? = {
    do {
      let directory = try TemporaryDirectory()
      let command = "cc -shared -fPIC -o \"$0\" \"$1\" -l:libpam.so.0 2>&1"
      let source = "\(#filePath.parentDirectory.parentDirectory)/Fixtures/pam_module.c"
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
