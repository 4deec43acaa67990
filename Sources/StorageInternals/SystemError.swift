#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// A system call that failed: which, on what, and with which error number.
package struct SystemError: Error, Hashable, Sendable {
  package let call: FileSystem.Call
  package let path: String
  package let code: Int32
  /// The process that holds the lock which was waited for, where the kernel tells.
  package let holder: pid_t?

  package init(call: FileSystem.Call, path: String, code: Int32, holder: pid_t? = nil) {
    self.call = call
    self.path = path
    self.code = code
    self.holder = holder
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    """
    \(call.rawValue) of \(path): \(Self.message(for: code)) (errno \(code))\
    \(holder.map { ", held by process \($0)" } ?? "")
    """
  }

  /// The C library's text for an error number, as `strerror_r` gives it.
  package static func message(for code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
        ? unsafe String(cString: buffer.baseAddress!) : "unknown error"
    }
  }
}
