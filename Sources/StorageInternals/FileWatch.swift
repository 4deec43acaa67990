import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Calls a handler whenever something happens to a file, by whatever process, until it is released.
///
/// The kernel's inotify watches the directory, not the file, because a file that is replaced by a
/// rename is another one from then on.
///
/// `@unchecked`: a dispatch source may be used from any thread.
package final class FileWatch: @unchecked Sendable {
  private let source: any DispatchSourceRead

  /// Begins to watch; the file need not be there, its directory must.
  ///
  /// The handler runs on a queue of its own.
  package init(
    path: String, handler: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor != -1 else {
      throw SystemError(call: .inotify, path: path, code: errno)
    }
    guard
      unsafe inotify_add_watch(descriptor, path.parentDirectory, UInt32(events)) != -1
    else {
      let code = errno
      close(descriptor)
      throw SystemError(call: .inotify, path: path, code: code)
    }
    let name = path.lastComponent
    source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "Locket.FileWatch"))
    source.setEventHandler {
      if Self.drain(descriptor, findingEventsOf: name) { handler() }
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit {
    source.cancel()
  }

  /// Takes all pending events, and tells whether one of them was of a name or events were lost.
  private static func drain(_ descriptor: Int32, findingEventsOf name: String) -> Bool {
    var found = false
    unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      while true {
        let count = unsafe read(descriptor, buffer.baseAddress!, buffer.count)
        if count <= 0 { return }
        var offset = 0
        while offset < count {
          let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          offset += MemoryLayout<inotify_event>.size
          let bytes = unsafe buffer[offset..<(offset + Int(event.len))].prefix { $0 != 0 }
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { found = true }
          if unsafe name.utf8.elementsEqual(bytes) { found = true }
          offset += Int(event.len)
        }
      }
    }
    return found
  }
}
