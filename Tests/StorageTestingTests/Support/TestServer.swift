import Concurrency
import KeyValueStorage

/// The storage of nonconforming backends: a server within the process.
final class TestServer: Sendable {
  struct State: Sendable {
    var contents = KeyValueContents([], revision: 0)
    var previous = KeyValueContents([], revision: 0)
    /// The contents that outlast a crash.
    var durable = KeyValueContents([], revision: 0)
    var isDown = false
    var isDamaged = false
    var reads = 0
    var observers: [(id: Int, backend: ObjectIdentifier, handler: @Sendable () -> Void)] = []

    mutating func write(_ changed: KeyValueContents) {
      previous = contents
      contents = changed
    }
  }

  let state = Lock(State())
  let thread = SerialThread()
}
