import CLibrary
import Dispatch
import SerializedAccess
import TestSupport

/// Threads that access values continuously, each in all the ways in turn.
final class BusyThreads: Sendable {
  let values = [
    Serialized(1), Serialized(1, customQueue: DispatchQueue(label: "com.example.busy")),
  ]
  private let isOver = Serialized(false)
  private let group = DispatchGroup()

  init() {
    ForkOperation.warmUp()
    // The threads may be at their first use of a type when a child is forked.
    accessAll()
    for index in 0..<4 {
      DispatchQueue(label: "busy \(index)").async(group: group) { [self] in
        while !isOver.wrappedValue { accessAll() }
      }
    }
  }

  private func accessAll() {
    for value in values {
      value.wrappedValue += 1
      value.asyncAccess { _ in usleep(20) }
      value.wrappedValue.wait()
      value.access { $0 = 1 }
    }
    usleep(50)
  }

  func stop() {
    isOver.wrappedValue = true
    group.wait()
  }
}

extension Int { fileprivate mutating func wait() { usleep(20) } }

/// Runs a closure while another thread accesses a value.
func whileAccessing<Value: Sendable>(
  _ value: Serialized<Value>, _ body: () throws -> Void
) rethrows { try whileHeld(by: { wait in value.access { _ in wait() } }, body) }
