import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

/// The ways in which editors save a file, by their system calls or by the real program.
enum EditorSave: CaseIterable, CustomTestStringConvertible {
  /// nano, and VS Code by default: truncates the file and writes it.
  case truncation
  /// gedit, kate, and VS Code on some file systems: renames a new file over it.
  case replacement
  /// vim's default (`backupcopy=auto`): renames the file to a backup and creates a new one.
  case backup
  /// Removes the file and creates a new one.
  case removal
  /// The real `sed -i`.
  case sed
  /// The real vim.
  case vim
  /// The real ed, which truncates the file like nano, but needs no terminal.
  case ed

  var testDescription: String { "\(self)" }

  private var program: String? {
    switch self {
    case .sed: "/usr/bin/sed"
    case .vim: "/usr/bin/vim"
    case .ed: "/usr/bin/ed"
    default: nil
    }
  }

  /// The ways that are possible on this machine for a file of a kind.
  static func available(forText isText: Bool) -> [EditorSave] {
    allCases.filter { save in
      guard let program = save.program else { return true }
      // The path is copied by the call.
      return unsafe isText && access(program, X_OK) == 0
    }
  }

  /// Saves a new content; the programs need text whose last line is complete.
  func save(_ content: Data, to path: String) throws {
    let system = FileSystem()
    let beside = "\(path).new"
    switch self {
    case .truncation: try Self.write(content, to: path, O_TRUNC)
    case .replacement:
      try Self.write(content, to: beside, O_CREAT | O_EXCL)
      try system.rename(beside, to: path)
    case .backup:
      try system.rename(path, to: "\(path)~")
      try Self.write(content, to: path, O_CREAT | O_EXCL)
      try system.unlink("\(path)~")
    case .removal:
      try system.unlink(path)
      try Self.write(content, to: path, O_CREAT | O_EXCL)
    case .sed, .vim, .ed:
      try Self.write(content, to: beside, O_CREAT | O_EXCL)
      defer { try? system.unlink(beside) }
      let directory = path.parentDirectory
      switch self {
      case .sed: try Shell.run("sed -i -e '1r \(beside)' -e '1,$d' '\(path)'", in: directory)
      case .vim:
        try Shell.run(
          """
          vim -Nu NONE -i NONE -n -es -c 'set wb backupcopy=no backupskip=' -c '%d _' \
          -c '0r \(beside)' -c x '\(path)' </dev/null >/dev/null
          """, in: directory)
      default:
        try Shell.run("printf '1,$d\\n0r \(beside)\\nw\\nq\\n' | ed -s '\(path)'", in: directory)
      }
    }
  }

  private static func write(_ content: Data, to path: String, _ flags: Int32) throws {
    let file = try FileSystem().open(path, O_WRONLY | flags, mode: 0o600)
    // Two calls, as an editor with a small buffer makes them.
    let half = content.count / 2
    try file.write(content.prefix(half), at: 0)
    try file.write(content.dropFirst(half), at: half)
    try file.synchronize()
  }
}
