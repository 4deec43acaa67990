import Dispatch
import SerializedAccess
import Synchronization

let serializedRows: [Row] =
  [
    Row(
      name: "Serialized get", subject: SerializedWorkloads.get, baseline: MutexWorkloads.get,
      target: .ratio(atMost: 1.5)),
    Row(
      name: "Serialized set", subject: SerializedWorkloads.set, baseline: MutexWorkloads.set,
      target: .ratio(atMost: 1.5)),
    Row(
      name: "Serialized += 1", subject: SerializedWorkloads.increment(threads: 1),
      baseline: MutexWorkloads.increment, target: .ratio(atMost: 1.5)),
    Row(
      name: "Serialized get", subject: SerializedWorkloads.get, baseline: QueueWorkloads.get,
      target: .ratio(atMost: 0.2)),
    Row(
      name: "Serialized set", subject: SerializedWorkloads.set, baseline: QueueWorkloads.set,
      target: .ratio(atMost: 0.2)),
    Row(
      name: "Serialized += 1", subject: SerializedWorkloads.increment(threads: 1),
      baseline: QueueWorkloads.increment, target: .ratio(atMost: 0.2)),
    Row(name: "Serialized get", subject: SerializedWorkloads.get, baseline: ActorWorkloads.get),
    Row(name: "Serialized set", subject: SerializedWorkloads.set, baseline: ActorWorkloads.set),
    Row(
      name: "Serialized += 1", subject: SerializedWorkloads.increment(threads: 1),
      baseline: ActorWorkloads.increment),
  ]
  + [4, 8].map { threads in
    Row(
      name: "Serialized += 1, \(threads) threads",
      subject: SerializedWorkloads.increment(threads: threads),
      baseline: bareIncrement(threads: threads), target: .ratio(atMost: 1.5))
  }
  + [
    Row(
      name: "Serialized asyncAccess", subject: SerializedWorkloads.schedule,
      baseline: QueueWorkloads.schedule, target: .ratio(atMost: 1.5)),
    Row(
      name: "Serialized customQueue access", subject: SerializedWorkloads.accessOnCallersQueue,
      baseline: QueueWorkloads.sync),
    Row(
      name: "Serialized customQueue += 1", subject: SerializedWorkloads.incrementOnCallersQueue,
      baseline: QueueWorkloads.sync, target: .ratio(atMost: 3)),
    Row(
      name: "Serialized worst wait", subject: SerializedWorkloads.worstWait,
      baseline: QueueWorkloads.worstWait,
      target: .worst(ratioAtMost: 2, plusNanoseconds: 3_000_000)),
  ]

/// The workloads of `Serialized`; other rows use them as a baseline too.
enum SerializedWorkloads {
  static let get = {
    let value = Serialized(1)
    return Workload(name: "Serialized get") { iterations in
      var sum = 0
      for _ in 0..<iterations { sum &+= value.wrappedValue }
      keep(sum)
    }
  }()

  static let set = {
    let value = Serialized(1)
    return Workload(name: "Serialized set") { iterations in
      for index in 0..<iterations { value.wrappedValue = index }
    }
  }()

  static func increment(threads: Int) -> Workload {
    let value = Serialized(0)
    return Workload(name: "Serialized += 1", threads: threads) { iterations in
      for _ in 0..<iterations { value.wrappedValue += 1 }
    }
  }

  static let schedule = {
    let value = Serialized(0)
    return Workload(name: "Serialized asyncAccess") { iterations in
      for _ in 0..<iterations { value.asyncAccess { $0 += 1 } }
      keep(value.wrappedValue)
    }
  }()

  static let accessOnCallersQueue = {
    let value = Serialized(0, customQueue: DispatchQueue(label: "caller's"))
    return Workload(name: "Serialized customQueue access") { iterations in
      for _ in 0..<iterations { value.access { $0 += 1 } }
    }
  }()

  static let incrementOnCallersQueue = {
    let value = Serialized(0, customQueue: DispatchQueue(label: "caller's"))
    return Workload(name: "Serialized customQueue += 1") { iterations in
      for _ in 0..<iterations { value.wrappedValue += 1 }
    }
  }()

  static let worstWait = {
    let value = Serialized(0)
    return Workload(name: "Serialized worst wait") {
      WorstWait.nanoseconds { body in value.access { _ in body() } }
    }
  }()
}

private enum MutexWorkloads {
  private final class Box: Sendable {
    let mutex = Mutex(1)
  }

  static let get = {
    let box = Box()
    return Workload(name: "Mutex") { iterations in
      var sum = 0
      for _ in 0..<iterations { sum &+= box.mutex.withLock { $0 } }
      keep(sum)
    }
  }()

  static let set = {
    let box = Box()
    return Workload(name: "Mutex") { iterations in
      for index in 0..<iterations { box.mutex.withLock { $0 = index } }
    }
  }()

  static let increment = {
    let box = Box()
    return Workload(name: "Mutex") { iterations in
      for _ in 0..<iterations { box.mutex.withLock { $0 += 1 } }
    }
  }()
}

/// Accesses from one task outside of the actor.
private enum ActorWorkloads {
  private actor Box {
    var value = 1

    func set(_ value: Int) { self.value = value }
    func increment() { value += 1 }
  }

  static let get = {
    let box = Box()
    return Workload(name: "actor") { iterations in
      wait {
        var sum = 0
        for _ in 0..<iterations { sum &+= await box.value }
        keep(sum)
      }
    }
  }()

  static let set = {
    let box = Box()
    return Workload(name: "actor") { iterations in
      wait {
        for index in 0..<iterations { await box.set(index) }
      }
    }
  }()

  static let increment = {
    let box = Box()
    return Workload(name: "actor") { iterations in
      wait {
        for _ in 0..<iterations { await box.increment() }
      }
    }
  }()
}

private enum QueueWorkloads {
  private static let wrapper = QueueWrapper(wrappedValue: 1)

  static let get = Workload(name: "queue.sync wrapper") { iterations in
    var sum = 0
    for _ in 0..<iterations { sum &+= wrapper.wrappedValue }
    keep(sum)
  }

  static let set = Workload(name: "queue.sync wrapper") { iterations in
    for index in 0..<iterations { wrapper.wrappedValue = index }
  }

  static let increment = Workload(name: "queue.sync wrapper") { iterations in
    for _ in 0..<iterations { wrapper.wrappedValue &+= 1 }
  }

  static let schedule = {
    let queue = DispatchQueue(label: "bare")
    // Accessed only on the queue.
    nonisolated(unsafe) var number = 0
    return Workload(name: "queue.async") { iterations in
      for _ in 0..<iterations { queue.async { number += 1 } }
      queue.sync { keep(number) }
    }
  }()

  static let sync = {
    let queue = DispatchQueue(label: "bare")
    return Workload(name: "queue.sync") { iterations in
      var number = 0
      for _ in 0..<iterations { queue.sync { number += 1 } }
      keep(number)
    }
  }()

  static let worstWait = {
    let queue = DispatchQueue(label: "bare")
    return Workload(name: "queue.sync") {
      WorstWait.nanoseconds { body in queue.sync { body() } }
    }
  }()
}

private func bareIncrement(threads: Int) -> Workload {
  let mutex = BareMutex()
  return Workload(name: "pthread mutex", threads: threads) { iterations in
    for _ in 0..<iterations { mutex.increment() }
  }
}
