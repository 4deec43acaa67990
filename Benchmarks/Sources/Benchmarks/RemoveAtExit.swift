import FoundationEssentials
import Glibc

// Accessed before the first round and at the end of the process, by one thread.
private nonisolated(unsafe) var directories: [URL] = []

/// Removes a directory when the process ends.
func removeAtExit(_ directory: URL) {
  if directories.isEmpty {
    atexit {
      for directory in directories {
        do {
          try FileManager.default.removeItem(at: directory)
        } catch {
          print("\(directory.path) was left behind: \(error)")
        }
      }
    }
  }
  directories.append(directory)
}
