import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

extension FileBackend {
  func moveAside(within patience: Duration?) throws(KeyValueStoreError) -> String? {
    guard try isDamaged(at: path) else { return nil }
    let turn = try takeTurn(within: patience)
    defer { withExtendedLifetime(turn) {} }
    // The file may have been repaired or moved meanwhile.
    guard try isDamaged(at: turn.target) else { return nil }
    state.withLock { $0.document = nil }
    do {
      return try moveAside(turn.target)
    } catch {
      throw KeyValueStoreError(error)
    }
  }

  /// Renames a file to a unique name, and returns that path.
  private func moveAside(_ target: String) throws(SystemError) -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    let name = "\(target).unreadable-\(Date.now.formatted(style))"
    var number = 1
    while true {
      let place = number == 1 ? name : "\(name)-\(number)"
      do {
        try fileSystem.renameExclusively(target, to: place)
        try fileSystem.synchronizeDirectory(target.parentDirectory)
        return place
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
