import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension FileBackend {
  func moveAside(within patience: Duration?) throws(KeyValueStoreError) -> String? {
    guard try isDamaged(at: path) else { return nil }
    let turn = try takeTurn(within: patience)
    defer { withExtendedLifetime(turn) {} }
    // It may have been mended, or moved, meanwhile.
    guard try isDamaged(at: turn.target) else { return nil }
    withState { $0.document = nil }
    do {
      return try moveAside(turn.target)
    } catch {
      throw KeyValueStoreError(error)
    }
  }

  private func moveAside(_ target: String) throws(SystemError) -> String {
    let place = try makePlace(beside: target)
    do {
      try fileSystem.rename(target, to: place)
    } catch {
      do throws(SystemError) {
        try fileSystem.unlink(place)
      } catch {
        // What stopped the renaming is the error to report; an empty file stays.
      }
      throw error
    }
    try fileSystem.synchronizeDirectory(target.parentDirectory)
    return place
  }

  private func isDamaged(at path: String) throws(KeyValueStoreError) -> Bool {
    do {
      _ = try document(at: path).contents.get()
      return false
    } catch {
      switch error {
      case .unreadable, .empty, .tooLarge: return true
      default: throw error
      }
    }
  }

  /// An empty file with a name of its own, which a renamed file may replace.
  private func makePlace(beside target: String) throws(SystemError) -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    let name = "\(target).unreadable-\(Date.now.formatted(style))"
    var number = 1
    while true {
      let place = number == 1 ? name : "\(name)-\(number)"
      do {
        _ = try fileSystem.open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        return place
      } catch {
        if error.code != EEXIST { throw error }
      }
      number += 1
    }
  }
}
