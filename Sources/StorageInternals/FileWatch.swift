#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Calls a handler whenever something happens to a file, by whatever process, until it is released.
///
/// The kernel's inotify watches the directory, not the file, because a file that is replaced by a
/// rename is another one from then on.
package final class FileWatch: Sendable {
  private let inotify: Inotify

  /// Begins to watch; the file need not be there, its directory must.
  ///
  /// The handler runs on a thread of its own.
  package init(
    path: String, handler: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    inotify = try Inotify(for: path)
    let mask = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
    _ = try inotify.add(path.parentDirectory, UInt32(mask))
    let name = Array(path.lastComponent.utf8)
    try inotify.start { events in
      if events.contains(where: { $0.isOverflow || $0.name == name }) { handler() }
    }
  }

  deinit {
    inotify.stop()
  }
}
