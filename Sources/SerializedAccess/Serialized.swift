import Concurrency
public import Dispatch

/// A value that only one thread can access at a time.
///
/// Wrap a property, or use a constant where Swift allows no wrapper, as in <doc:ShapesThatCompile>:
///
/// ```swift
/// @Serialized var visitors = 0
/// visitors += 1
///
/// let visitors = Serialized(0)
/// visitors.value += 1
/// ```
///
/// Each use of the value is an access, and accesses to the same value never overlap. An in-place
/// change, such as `visitors += 1`, is a single access, and changing an element of an array does
/// not copy the array. To combine several uses into one access, call `access { … }`.
///
/// An access must not wait for another access to the same value. A nested access on the same thread
/// traps with a message that names the queue. A method that changes the value in place must not be
/// `async`, because an access must end on the thread on which it began.
///
/// An access that has waited for 0.3 ms takes precedence over later ones. In a child that is forked
/// without `exec` after the first use of this module, an access ends the child with a message.
///
/// If the value is not `Sendable`, the wrapper is not either, and accesses cannot be scheduled.
@safe @propertyWrapper
public final class Serialized<Value> {
  // The value is allocated separately, which avoids the run-time exclusivity checks of a stored
  // property. Only the thread that holds `lock` uses the value.
  @usableFromInline let storage: UnsafeMutablePointer<Value>
  @usableFromInline let lock: AccessLock
  let queue: DispatchQueue
  let customQueue: CustomQueue?
  let scheduled: ScheduledAccesses
  // Guarded by `lock`.
  var observers = Observers<ChangeHandler<Value>>()

  private init(_ value: Value, queue: DispatchQueue, customQueue: CustomQueue?) {
    unsafe storage = .allocate(capacity: 1)
    unsafe storage.initialize(to: value)
    lock = AccessLock()
    scheduled = ScheduledAccesses(of: lock)
    self.queue = queue
    self.customQueue = customQueue
    if customQueue != nil { lock.addSlowPathReason(AccessLock.SlowPath.customQueue) }
  }

  /// Creates a value with a private queue, whose label is shown by debuggers and in messages.
  public convenience init(wrappedValue: Value, customQueue: String = "Serialized") {
    self.init(wrappedValue, customQueue: customQueue)
  }

  /// Creates a value to be stored in a constant, with a private queue that has the given label.
  public convenience init(_ wrappedValue: Value, customQueue: String = "Serialized") {
    self.init(wrappedValue, queue: DispatchQueue(label: customQueue), customQueue: nil)
  }

  /// Creates a value with accesses and observers on a serial queue, at a cost: <doc:CustomQueues>.
  ///
  /// The queue may run other work and may be shared by several values; a concurrent one traps.
  public convenience init(wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(wrappedValue, customQueue: customQueue)
  }

  /// Creates a value to be stored in a constant, whose accesses and observers run on a serial
  /// queue, at the cost that <doc:CustomQueues> describes; a concurrent queue traps.
  public convenience init(_ wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(wrappedValue, queue: customQueue, customQueue: CustomQueue(customQueue))
  }

  deinit {
    unsafe storage.deinitialize(count: 1)
    unsafe storage.deallocate()
    lock.destroy()
  }

  /// The value; each read, assignment and in-place change is one access, which waits for accesses
  /// in progress and for accesses that were scheduled earlier.
  public var wrappedValue: Value {
    // The accessors are compiled into their callers, where an access takes about as long as one to a
    // `Mutex`; without that, twice as long: `swift run -c release --package-path Benchmarks
    // Benchmarks --only Serialized`.
    @inlinable get {
      guard enterFastPath() else { return performInOrder { unsafe storage.pointee } }
      defer { lock.leave() }
      return unsafe storage.pointee
    }
    @inlinable set {
      guard enterUnobserved() else { return replaceInOrder(with: newValue) }
      // The old value is released after the access: its `deinit` may begin another.
      let replaced = unsafe storage.move()
      unsafe storage.initialize(to: newValue)
      lock.leave()
      withExtendedLifetime(replaced) {}
    }
    @inlinable _modify {
      let mutation = enterUnobserved() ? nil : beginMutation()
      // Called even after an error, because the change may be partial.
      defer { endMutation(mutation) }
      yield unsafe &storage.pointee
    }
  }

  /// The value of a constant; the same as ``wrappedValue``.
  public var value: Value {
    @inlinable get { wrappedValue }
    @inlinable set { wrappedValue = newValue }
    @inlinable _modify { yield &wrappedValue }
  }

  /// The wrapper itself, which provides the other operations.
  public var projectedValue: Serialized<Value> { self }
}

// The lock guards each access. Other references could access a value that is not `Sendable`.
extension Serialized: @unchecked Sendable where Value: Sendable {}

extension Serialized: CustomStringConvertible, CustomReflectable {
  /// The value in parentheses, or "in use" during an access and in a forked child; never waits.
  public var description: String { "Serialized(\(valueUnlessInUse))" }

  /// A mirror of the value, or of "in use" during an access and in a forked child.
  public var customMirror: Mirror {
    Mirror(self, children: ["value": valueUnlessInUse], displayStyle: .class)
  }

  private var valueUnlessInUse: Any {
    guard !lock.isInForkedChild, lock.tryEnter() else { return "in use" }
    defer { lock.leave() }
    return unsafe storage.pointee
  }
}
