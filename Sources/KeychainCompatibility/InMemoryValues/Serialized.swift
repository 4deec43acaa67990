import Concurrency
public import Dispatch
import SerializedAccess

/// A value that only one thread can access at a time.
///
/// A nested access to the same value, including one in ``didSet``, ends the process with a message.
@available(*, deprecated, message: "Import SerializedAccess and use its `Serialized`.")
@propertyWrapper
public final class Serialized<Value> {
  private typealias Content = Unchecked<Value>

  private struct Observer: Sendable {
    var didSet: Unchecked<(Value) -> Void>?
    var observation: SerializedObservation?
  }

  private let content: SerializedAccess.Serialized<Content>
  private let observer = Lock(Observer())

  /// Creates a value with a private queue.
  public init(wrappedValue: Value) {
    content = SerializedAccess.Serialized(Unchecked(value: wrappedValue))
  }

  /// Creates a value with a private queue that has a given label.
  public init(wrappedValue: Value, customQueue label: String) {
    content = SerializedAccess.Serialized(Unchecked(value: wrappedValue), customQueue: label)
  }

  /// Creates a value whose accesses all run on a given serial queue.
  ///
  /// A concurrent queue ends the process with a message.
  public init(wrappedValue: Value, customQueue: DispatchQueue) {
    content = SerializedAccess.Serialized(Unchecked(value: wrappedValue), customQueue: customQueue)
  }

  /// The value; each read, write and in-place change is one access.
  public var wrappedValue: Value {
    get { content.wrappedValue.value }
    set { content.wrappedValue = Unchecked(value: newValue) }
    _modify { yield &content.wrappedValue.value }
  }

  /// A closure called with the new value after each change, as part of the same access.
  ///
  /// It blocks all other accesses, and must not access the value itself.
  @available(*, deprecated, message: "Use `observe(_:)` or `values` of the projected value.")
  public var didSet: ((Value) -> Void)? {
    get { observer.withLock { $0 }.didSet?.value }
    set {
      // The old observer is removed before the new one is added, so that no change goes to both.
      replaceObserver(with: Observer())
      guard let didSet = newValue.map(Unchecked.init) else { return }
      let observation = content.observe { _, new in didSet.value(new.value) }
      replaceObserver(with: Observer(didSet: didSet, observation: observation))
    }
  }

  /// Schedules a closure that computes a new value from the current one, and returns immediately.
  ///
  /// The closure must not access the value in any other way.
  @available(*, deprecated, message: "Use `asyncAccess(transform:)` of the projected value.")
  public func asyncAccess(transform: @escaping (Value) -> Value) {
    let transform = Unchecked(value: transform)
    content.asyncAccess { content in content.value = transform.value(content.value) }
  }

  private func replaceObserver(with new: Observer) {
    // Cancelled outside the lock, because cancelling waits for the current access.
    let old = observer.withLock { exchange(&$0, with: new) }
    old.observation?.cancel()
  }
}

// Mutable state is protected by a lock, and the value is `Sendable`.
@available(*, deprecated)
extension Serialized: @unchecked Sendable where Value: Sendable {}

/// A value or closure that the older package accepted without requiring `Sendable`.
///
/// `@unchecked`: it is used only inside accesses; objects are as thread-safe as they were there.
private struct Unchecked<Value>: @unchecked Sendable {
  var value: Value
}
