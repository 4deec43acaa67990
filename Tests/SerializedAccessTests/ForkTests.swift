import CLibrary
import Dispatch
import SerializedAccess
import TestSupport
import Testing

/// Children that are forked without `exec`, each from a process of its own with many threads.
@Suite(.forks) struct ForkTests {
  @Test func valueNotAccessedAtForkWorksInChild() async {
    await #expect(processExitsWith: .success) {
      let busy = BusyThreads()
      for _ in 0..<Campaign.size(sample: 2, full: 1_000) {
        for operation in ForkOperation.allCases {
          let unnamed = Serialized(1)
          let custom = Serialized(1, customQueue: DispatchQueue(label: "custom"))
          for value in [unnamed, custom] {
            let child = try ForkedChild { if !operation.works(on: value) { _exit(1) } }
            if child.end() != 0 { fatalError("\(operation)") }
            // The parent has its own copy of the value.
            if value.wrappedValue != 1 { fatalError("\(operation) changed the parent's value") }
          }
        }
      }
      busy.stop()
    }
  }

  /// Nothing hangs: an access finds a consistent value, or ends the child with a message.
  @Test func busyValueWorksInChildOrEndsIt() async {
    await #expect(processExitsWith: .success) {
      let busy = BusyThreads()
      for _ in 0..<Campaign.size(sample: 1, full: 500) {
        for operation in ForkOperation.allCases {
          for value in busy.values {
            let child = try ForkedChild(isQuiet: true) { _ = operation.works(on: value) }
            let status = child.end()
            if status != 0, !isStopped(status) { fatalError("\(operation) ended with \(status)") }
          }
        }
      }
      busy.stop()
    }
  }

  @Test func valueAccessedAtForkEndsChild() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let value = Serialized(1, customQueue: "com.example.orders")
      let observation = value.observe { _, _ in }
      try whileAccessing(value) {
        try ForkedChild { observation.cancel() }.wait()
        for operation in ForkOperation.allCases {
          let child = try ForkedChild(isQuiet: operation != .get) {
            // The description neither waits nor changes the value.
            if value.description != "Serialized(in use)" { _exit(1) }
            _ = operation.works(on: value)
          }
          if !isStopped(child.end()) { fatalError("\(operation)") }
        }
      }
    }
    let expected =
      #"on the queue "com.example.orders" was being accessed when the process was forked"#
    #expect(message(of: result).contains(expected))
  }

  @Test func accessesScheduledBeforeForkRunOnlyInParent() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "custom")
      let value = Serialized([0], customQueue: queue)
      queue.suspend()
      value.asyncAccess { $0.append(1) }
      let child = try ForkedChild {
        value.asyncAccess { $0.append(2) }
        if value.wrappedValue != [0, 2] { _exit(1) }
      }
      try child.wait()
      queue.resume()
      if value.wrappedValue != [0, 1] { fatalError("\(value)") }
    }
  }

  @Test func accessesScheduledInsideAccessRunAtItsEnd() async {
    await #expect(processExitsWith: .success) {
      let value = Serialized([0])
      let child = try ForkedChild {
        value.access { numbers in
          value.asyncAccess { $0.append(2) }
          numbers.append(1)
        }
        if value.description != "Serialized([0, 1, 2])" { _exit(1) }
        value.wrappedValue.change { value.asyncAccess { $0.append(4) } }
        if value.description != "Serialized([0, 1, 2, 3, 4])" { _exit(2) }
      }
      try child.wait()
    }
  }

  @Test func bothProcessesCanEndAccessThatForks() async {
    await #expect(processExitsWith: .success) {
      for value in [Serialized([0]), Serialized([0], customQueue: DispatchQueue(label: "queue"))] {
        var child: ForkedChild?
        try value.wrappedValue.change { child = try ForkedChild.fork() }
        value.wrappedValue.append(4)
        if value.wrappedValue != [0, 3, 4] { _exit(1) }
        guard let child else { _exit(0) }
        try child.wait()
      }
    }
  }

  @Test func threadsOfTheChildShareTheValue() async {
    await #expect(processExitsWith: .success) {
      let value = Serialized(0)
      let child = try ForkedChild {
        onThreadsOfAChild(8) { for _ in 0..<1_000 { value.wrappedValue += 1 } }
        if value.wrappedValue != 8_000 { _exit(1) }
        let grandchild = try ForkedChild {
          value.asyncAccess { $0 += 1 }
          if value.wrappedValue != 8_001 { _exit(1) }
        }
        try grandchild.wait()
      }
      try child.wait()
    }
  }

  @Test func sequencesOfParentReceiveNoChangesOfChild() async {
    await #expect(processExitsWith: .success) {
      let value = Serialized(0)
      let values = value.values
      let child = try ForkedChild {
        value.wrappedValue += 1
        let seen = Serialized<Int?>(nil)
        // Immediate: the sequence already has an element.
        Task.immediate { for await number in values { return seen.wrappedValue = number } }
        if seen.wrappedValue != 0 { _exit(1) }
      }
      try child.wait()
    }
  }

  @Test func valuesAreReleasedInTheChild() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "queue")
      var values = [Serialized(1), Serialized(2, customQueue: queue)]
      let child = try ForkedChild {
        values.removeAll()
        values.append(Serialized(3, customQueue: DispatchQueue(label: "another")))
        values.removeAll()
      }
      try child.wait()
    }
  }
}

/// Whether a child ended itself with a message.
private func isStopped(_ status: Int32) -> Bool { [SIGILL, SIGTRAP].contains(status & 0x7F) }

extension [Int] {
  fileprivate mutating func change(_ body: () throws -> Void) rethrows {
    try body()
    append(3)
  }
}
