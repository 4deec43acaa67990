import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

extension FileBackend {
  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    guard try isDamaged(at: path) else { return nil }
    let scope = try lockFile(within: timeout)
    defer { withExtendedLifetime(scope) {} }
    // Another process may have repaired or moved the file in the meantime.
    guard try isDamaged(at: scope.target) else { return nil }
    state.withLock { $0.document = nil }
    return try convertingErrors { () throws(SystemError) in try moveAside(scope.target) }
  }

  /// Renames a file to a unique name, and returns the new path.
  private func moveAside(_ target: String) throws(SystemError) -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    let name = "\(target).unreadable-\(Date.now.formatted(style))"
    var number = 1
    while true {
      let newPath = number == 1 ? name : "\(name)-\(number)"
      do {
        try fileSystem.renameExclusively(target, to: newPath)
        try fileSystem.synchronizeDirectory(target.parentDirectory)
        return newPath
      } catch {
        if error.code != EEXIST { throw error }
      }
      number += 1
    }
  }

  private func isDamaged(at path: String) throws(KeyValueStoreError) -> Bool {
    do {
      _ = try document(at: path).contents
      return false
    } catch {
      switch error {
      case .unreadable, .empty, .tooLarge: return true
      default: throw error
      }
    }
  }
}
