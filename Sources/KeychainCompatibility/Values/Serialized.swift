public import Dispatch
import SerializedAccess
import StorageInternals

/// A value that all threads reach one after the other.
///
/// Each use is one access, a change in place such as `+=` included. An access must not begin another one
/// to the same value, also not by way of ``didSet``: that ends the process with a message.
@available(
  *, deprecated,
  message: "Import SerializedAccess instead of KeychainCompatibility, and use its `Serialized`."
)
@propertyWrapper
public final class Serialized<Value> {
  private typealias Content = Unchecked<Value>

  private struct Observer: Sendable {
    var didSet: Unchecked<(Value) -> Void>?
    var observation: SerializedObservation?
  }

  private let content: SerializedAccess.Serialized<Content>
  private let observer = Lock(Observer())

  private init(_ content: SerializedAccess.Serialized<Content>) {
    self.content = content
  }

  /// Creates a value with a private queue.
  public convenience init(wrappedValue: Value) {
    self.init(SerializedAccess.Serialized(Unchecked(wrappedValue)))
  }

  /// Creates a value with a private queue of a given label.
  public convenience init(wrappedValue: Value, customQueue label: String) {
    self.init(SerializedAccess.Serialized(Unchecked(wrappedValue), customQueue: label))
  }

  /// Creates a value whose accesses all run on a given serial queue.
  ///
  /// A concurrent queue ends the process with a message.
  public convenience init(wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(SerializedAccess.Serialized(Unchecked(wrappedValue), customQueue: customQueue))
  }

  /// The value: reading, writing and changing it in place are one access each.
  public var wrappedValue: Value {
    get { content.wrappedValue.value }
    set { content.wrappedValue = Unchecked(newValue) }
    _modify { yield &content.wrappedValue.value }
  }

  /// Is called with the new value after each change, as a part of the access that made the change.
  ///
  /// It keeps all other accesses waiting, and must not access the value itself.
  @available(*, deprecated, message: "Use `observe(_:)` or `values` of the projected value.")
  public var didSet: ((Value) -> Void)? {
    get { observer.withLock { $0 }.didSet?.value }
    set {
      // One is gone before the next one comes, so that no change is told to both.
      replaceObserver(by: Observer())
      guard let didSet = newValue.map(Unchecked.init) else { return }
      let observation = content.observe { _, new in didSet.value(new.value) }
      replaceObserver(by: Observer(didSet: didSet, observation: observation))
    }
  }

  /// Schedules the replacement of the value by one that is made from it, and returns at once.
  ///
  /// The closure must not access the value otherwise.
  @available(*, deprecated, message: "Use `asyncAccess(transform:)` of the projected value.")
  public func asyncAccess(transform: @escaping (Value) -> Value) {
    let transform = Unchecked(transform)
    content.asyncAccess { content in content.value = transform.value(content.value) }
  }

  private func replaceObserver(by new: Observer) {
    // The old one is released without the lock, because that waits for the access that is under way.
    let old = observer.withLock { observer in
      defer { observer = new }
      return observer
    }
    old.observation?.cancel()
  }
}

// What is mutable is behind a lock, and the value is `Sendable`.
@available(*, deprecated)
extension Serialized: @unchecked Sendable where Value: Sendable {}

/// What the older package took without asking for `Sendable`.
///
/// `@unchecked`: a value is reached in its accesses alone, and a closure is called in them alone. What
/// they reach beyond that is as safe, or not, as it was with the older package.
private struct Unchecked<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}
