import Concurrency
public import Dispatch

/// A value that all threads access one at a time.
///
/// Wrap a property, or hold the value in a constant where Swift does not allow a property wrapper
/// (<doc:ShapesThatCompile> lists both):
///
/// ```swift
/// @Serialized var visitors = 0
/// visitors += 1
///
/// let visitors = Serialized(0)
/// visitors.wrappedValue += 1
/// ```
///
/// Each use is one access, and no other access to the same value happens during it. That includes
/// an in-place change: `visitors += 1` reads and writes in one access, and changing one element of
/// an array copies nothing. Two uses are two accesses: to read, decide and write in one, use
/// `access { … }`.
///
/// An access must not wait for another access to the same value. A nested access on the same thread
/// would deadlock; it ends the process with a message that names the queue. A method that changes
/// the value in place must not be `async`, since an access ends on the thread that began it.
///
/// No thread starves: an access that has waited for 0.3 ms precedes all that begin later.
/// <doc:ForkedChildren> describes accesses in a process created by `fork`.
///
/// A value that is not `Sendable` can be wrapped too, but then the wrapper is not `Sendable`
/// either, and has only the accesses that wait.
@safe @propertyWrapper
public final class Serialized<Value> {
  // Allocated separately, not a property: only the holder of `exclusion` accesses it, and an access
  // does not pay for the run-time exclusivity check.
  @usableFromInline let storage: UnsafeMutablePointer<Value>
  @usableFromInline let exclusion: Exclusion
  let queue: DispatchQueue
  let callersQueue: CallersQueue?
  // Changed only in a forked child, before any access returns there; checking its exclusivity costs
  // as much as the mutex.
  @exclusivity(unchecked) var scheduled: ScheduledAccesses<Value>
  // Guarded by the exclusion.
  var observers = Observers<ChangeHandler<Value>>()

  init(_ value: Value, queue: DispatchQueue, callersQueue: CallersQueue?) {
    // Deallocated only in `deinit`.
    unsafe storage = .allocate(capacity: 1)
    unsafe storage.initialize(to: value)
    exclusion = Exclusion()
    // No other reference exists yet.
    unsafe scheduled = ScheduledAccesses(of: exclusion)
    self.queue = queue
    self.callersQueue = callersQueue
    if callersQueue != nil { exclusion.addDetour(Exclusion.Detour.callersQueue) }
  }

  deinit {
    // No other reference is left.
    unsafe storage.deinitialize(count: 1)
    unsafe storage.deallocate()
    exclusion.destroy()
  }

  /// The value; each read, write and in-place change is one access.
  ///
  /// Waits for accesses in progress and for those scheduled earlier. An in-place change (`+=`,
  /// `append(_:)`, one element of an array) excludes all other accesses until it is done.
  public var wrappedValue: Value {
    get {
      // Only the holder of the exclusion touches the storage, here and in the other accessors.
      guard enterDirectly() else { return inOrder { unsafe storage.pointee } }
      defer { exclusion.leave() }
      return unsafe storage.pointee
    }
    // Inlined: assigning a number is then 5.1 times as fast as through a queue, otherwise 4.8
    // times: `swift run -c release --package-path Benchmarks Benchmarks --only set`.
    @inlinable set {
      // A value without references can be overwritten. Any other is released after the access,
      // because its `deinit` may begin another one.
      guard _isPOD(Value.self), enterToAssign() else {
        replaceInOrder(with: newValue)
        return
      }
      unsafe storage.pointee = newValue
      exclusion.leave()
    }
    _modify {
      if let mutation = beginMutation() {
        // Also after an error: part of the change may have been made.
        defer { endMutation(mutation) }
        yield unsafe &storage.pointee
      } else {
        defer { leave() }
        yield unsafe &storage.pointee
      }
    }
  }

  /// The wrapper itself, which provides the other kinds of access.
  public var projectedValue: Serialized<Value> { self }
}

// Each access runs while the exclusion is held, and the rest is immutable. A value that is not
// `Sendable` could still be accessed through another reference.
extension Serialized: @unchecked Sendable where Value: Sendable {}

extension Serialized {
  /// Creates a value with a private queue.
  public convenience init(wrappedValue: Value) {
    self.init(wrappedValue, customQueue: "Serialized")
  }

  /// Creates a value with a private queue, to be held in a constant.
  public convenience init(_ wrappedValue: Value) {
    self.init(wrappedValue, customQueue: "Serialized")
  }

  /// Creates a value with a private queue of a given name.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: The label of the queue, shown by debuggers and in the messages of this type.
  public convenience init(wrappedValue: Value, customQueue: String) {
    self.init(wrappedValue, customQueue: customQueue)
  }

  /// Creates a value with a private queue of a given name, to be held in a constant.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: The label of the queue, shown by debuggers and in the messages of this type.
  public convenience init(_ wrappedValue: Value, customQueue: String) {
    self.init(wrappedValue, queue: DispatchQueue(label: customQueue), callersQueue: nil)
  }

  /// Creates a value whose accesses and observers all run on a given queue.
  ///
  /// <doc:CustomQueues> describes the cost. A concurrent queue ends the process with a message.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: A serial queue, which may run other work and may serve several values.
  public convenience init(wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(wrappedValue, customQueue: customQueue)
  }

  /// Creates a value whose accesses and observers all run on a given queue, for a constant.
  ///
  /// <doc:CustomQueues> describes the cost. A concurrent queue ends the process with a message.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: A serial queue, which may run other work and may serve several values.
  public convenience init(_ wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(wrappedValue, queue: customQueue, callersQueue: CallersQueue(customQueue))
  }
}

extension Serialized: CustomStringConvertible, CustomReflectable {
  /// The value in parentheses, or the words "in use" during an access.
  ///
  /// Never waits, so that it is safe in a debugger, in a log and inside an access. It shows the
  /// result of the last access, without the scheduled ones.
  public var description: String {
    if let value = valueUnlessInUse() { "Serialized(\(value.value))" } else { "Serialized(in use)" }
  }

  /// A mirror with the value, or with the words "in use" during an access.
  public var customMirror: Mirror {
    let value: Any = if let value = valueUnlessInUse() { value.value } else { "in use" }
    return Mirror(self, children: ["wrappedValue": value], displayStyle: .class)
  }

  private func valueUnlessInUse() -> Snapshot<Value>? {
    forgetParent()
    guard exclusion.tryEnter() else { return nil }
    defer { exclusion.leave() }
    // Only the holder of the exclusion touches the storage.
    return Snapshot(unsafe storage.pointee)
  }
}
