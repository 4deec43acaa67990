import FoundationEssentials
import Glibc

// Accessed before the first round and at the end of the process, by one thread.
private nonisolated(unsafe) var endings: [() -> Void] = []

/// Calls a closure when the process ends, before those of earlier calls.
func atExit(_ ending: @escaping () -> Void) {
  if endings.isEmpty {
    atexit {
      for ending in endings.reversed() { ending() }
    }
  }
  endings.append(ending)
}

/// Creates a directory that is removed when the process ends.
func temporaryDirectory() -> URL {
  let directory = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())")
  attempt {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }
  removeAtExit(directory)
  return directory
}

/// Removes a directory when the process ends.
func removeAtExit(_ directory: URL) {
  atExit {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      print("\(directory.path) was left behind: \(error)")
    }
  }
}
