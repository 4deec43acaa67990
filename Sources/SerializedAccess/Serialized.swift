import Dispatch

/// A value that all threads reach one after the other.
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
/// Each use is one access, and no other access to the same value happens meanwhile. That includes a
/// change in place: `visitors += 1` reads and writes in one access, and changing one element of an
/// array copies nothing. Two uses are two accesses: to read, decide and write in one, use
/// `access { … }`.
///
/// An access must not wait for another access to the same value. One that begins inside another, on
/// the same thread, could never get its turn: it ends the process with a message that names the
/// queue. A method that changes the value in place must not be `async`, since an access ends on the
/// thread that it began on.
///
/// No thread starves: an access that has waited for 0.3 ms comes before all that are asked for
/// later. <doc:ForkedChildren> says what the accesses do in a process made by `fork`.
///
/// A value that is not `Sendable` can be wrapped too, but then the wrapper isn't `Sendable` either,
/// and has only the accesses that wait.
@safe @propertyWrapper
public final class Serialized<Value> {
  // In memory of its own, not a property: only the holder of `exclusion` touches it, and an access
  // does not pay for the run-time check of that.
  @usableFromInline let storage: UnsafeMutablePointer<Value>
  @usableFromInline let exclusion: Exclusion
  let queue: DispatchQueue
  let callersQueue: CallersQueue?
  // Changed only in a forked child, before any access returns there; to check the exclusivity of
  // that costs as much as the mutex.
  @exclusivity(unchecked) var scheduled: ScheduledAccesses<Value>
  // Guarded by the exclusion.
  var observers: [SerializedObserver<Value>] = []

  init(_ value: Value, queue: DispatchQueue, callersQueue: CallersQueue?) {
    // Released in `deinit`, and nowhere else.
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

  /// The value: reading, writing and changing it in place are one access each.
  ///
  /// Waits for the accesses that are under way, and for what was scheduled before. A change in
  /// place (`+=`, `append(_:)`, one element of an array) keeps all others out until it is done.
  public var wrappedValue: Value {
    get {
      // Only the holder of the exclusion touches the storage, here and in the other accessors.
      guard enterDirectly() else { return inOrder { unsafe storage.pointee } }
      defer { exclusion.leave() }
      return unsafe storage.pointee
    }
    // Inlined, because that makes assigning a number 5.1 times as fast as through a queue instead
    // of 4.8 times: `swift run -c release --package-path Benchmarks Benchmarks --only set`.
    @inlinable set {
      // A value without references can be overwritten; any other is released after the access,
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
        // Also when the change throws: it may have been made in part.
        defer { endMutation(mutation) }
        yield unsafe &storage.pointee
      } else {
        defer { leave() }
        yield unsafe &storage.pointee
      }
    }
  }

  /// The wrapper itself, which has the other ways to reach the value.
  public var projectedValue: Serialized<Value> { self }
}

// Each access runs while the exclusion is held, and the rest is immutable. A value that isn't
// `Sendable` could still be reached by a reference from outside.
extension Serialized: @unchecked Sendable where Value: Sendable {}
