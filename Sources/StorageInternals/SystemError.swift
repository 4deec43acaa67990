package import CLibrary

/// A failure of a system call, with its path and error number.
package struct SystemError: Error, Hashable, Sendable {
  package let call: FileSystem.Call
  package let path: String
  package let code: Int32
  /// The process that held a lock, if the kernel reports it.
  package let holder: pid_t?
  /// Whether a directory could not be flushed, so that a power failure may undo its last changes.
  package let isUncertain: Bool

  package init(
    call: FileSystem.Call, path: String, code: Int32, holder: pid_t? = nil,
    isUncertain: Bool = false
  ) {
    self.call = call
    self.path = path
    self.code = code
    self.holder = holder
    self.isUncertain = isUncertain
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    """
    \(call.rawValue) of \(path): \(errorMessage(code)) (errno \(code))\
    \(holder.map { ", held by process \($0)" } ?? "")
    """
  }

  package static func advice(on code: Int32, of call: String) -> String {
    let message = "\(errorMessage(code)) (errno \(code))."
    if code == EILSEQ {
      return """
        \(message) The path contains bytes that are not UTF-8, for which U+FFFD stands. Rename \
        the file or directory, or specify another path.
        """
    }
    if call == FileSystem.Call.fchmod.rawValue, refusals.contains(code) {
      return """
        \(message) Its file system would give other users access to the file. Choose another \
        directory, or mount the file system with other modes.
        """
    }
    guard call == FileSystem.Call.inotify.rawValue else { return message }
    let remedy =
      switch code {
      case EMFILE: "Raise fs.inotify.max_user_instances, or the process's limit of open files."
      case ENFILE: "Raise fs.file-max."
      case ENOSPC: "Raise fs.inotify.max_user_watches."
      default:
        "Make sure that this user can read, and the kernel can watch, the directories of the path."
      }
    return """
      \(message) \(remedy) Until then, changes by other programs are detected at each access, and \
      observers are notified within \(PolledPaths.period.components.seconds) s.
      """
  }

  package static func uncertainty(of path: String, code: Int32) -> String {
    """
    fsync of \(path) failed: \(errorMessage(code)) (errno \(code)). Until a later write succeeds, it \
    is uncertain whether the last changes to the files in this directory survive a power failure. \
    Check the disk, and write again.
    """
  }

  package static let unflushableDirectory = """
    its file system cannot flush directories, or this user may not list it, so a power failure may \
    undo the last writes
    """
}

extension SystemError {
  /// Whether the kernel, the file system or a sandbox does not support the call or its flags.
  package var isUnsupported: Bool { Self.unsupported.contains(code) }

  private static let unsupported = [ENOSYS, EINVAL, EOPNOTSUPP, EPERM]

  /// Whether the file system or a sandbox does not permit to change a mode or an owner.
  var isRefusal: Bool { Self.refusals.contains(code) }

  private static let refusals = unsupported + [EACCES]
}
