/// A property that tells observers of each change.
///
/// ```swift
/// final class Counter {
///   @StoredSubject var number = 0
///
///   func observe(_ closure: @escaping (Int) -> Void) -> any Disposable { _number.observe(closure) }
/// }
/// ```
///
/// As in FTPropertyWrappers 1.x, it belongs to one thread or actor: neither the value nor the observers
/// are protected from others. `Serialized` is what replaces it, and may be used from everywhere.
@available(
  *, deprecated, message: "Use @Serialized of SerializedAccess, and observe(_:) of its $value."
)
@propertyWrapper
public final class StoredSubject<Value> {
  private final class Observer {
    let notify: (Value, Value) -> Void
    var isCancelled = false

    init(_ notify: @escaping (Value, Value) -> Void) {
      self.notify = notify
    }
  }

  private final class Observation: Disposable {
    let end: () -> Void

    init(_ end: @escaping () -> Void) {
      self.end = end
    }

    deinit {
      end()
    }
  }

  private var value: Value
  private var observers: [Observer] = []
  private var endObservers: [Observer] = []

  /// Makes a subject with its first value, of which nobody is told.
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  /// The value; setting it calls the observers, in the order in which they began.
  ///
  /// An observer may set it again, and end observations, its own or others.
  public var wrappedValue: Value {
    get { value }
    set {
      let old = value
      value = newValue
      // The newest value, because an observer may have set another one meanwhile.
      for observer in observers where !observer.isCancelled { observer.notify(old, value) }
      for observer in endObservers where !observer.isCancelled { observer.notify(old, value) }
    }
  }

  /// Calls a closure with the old and the new value after each change, until the result is released.
  ///
  /// The result does not keep the subject alive.
  public func observe(_ subscription: @escaping Subscription<Value>) -> any Disposable {
    observe(subscription, among: \.observers)
  }

  /// Calls a closure with the new value after each change, until the result is released.
  ///
  /// The result does not keep the subject alive.
  public func observe(_ subscription: @escaping (Value) -> Void) -> any Disposable {
    observe { _, new in subscription(new) }
  }

  /// Calls a closure after each change when all that `observe(_:)` took have been called, until the
  /// result is released.
  ///
  /// The result does not keep the subject alive.
  public func observeEndOfUpdates(
    _ subscription: @escaping Subscription<Value>
  ) -> any Disposable {
    observe(subscription, among: \.endObservers)
  }

  private func observe(
    _ subscription: @escaping Subscription<Value>,
    among observers: ReferenceWritableKeyPath<StoredSubject, [Observer]>
  ) -> any Disposable {
    let observer = Observer(subscription)
    self[keyPath: observers].append(observer)
    return Observation { [weak self] in
      observer.isCancelled = true
      self?[keyPath: observers].removeAll { $0 === observer }
    }
  }
}

@available(*, unavailable)
extension StoredSubject: Sendable {}
