import Concurrency

/// A property that notifies observers of each change.
///
/// ```swift
/// final class Counter {
///   @StoredSubject var number = 0
///
///   func observe(_ body: @escaping (Int) -> Void) -> any Disposable { _number.observe(body) }
/// }
/// ```
///
/// As in FTPropertyWrappers 1.x, neither the value nor the observers are synchronized: use a
/// subject on only one thread or actor.
@available(*, deprecated, message: "Use `Serialized` of SerializedAccess and its `observe(_:)`.")
@propertyWrapper
public final class StoredSubject<Value> {
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
  private var observers = Observers<Subscription<Value>>()
  private var endObservers = Observers<Subscription<Value>>()

  /// Creates a subject with an initial value.
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  /// The value; setting it calls the observers, in registration order.
  ///
  /// An observer may set it again, and end its own or other observations.
  public var wrappedValue: Value {
    get { value }
    set {
      let old = value
      value = newValue
      // Not `newValue`, because an observer may have set another value.
      for observer in observers.all { observer.handler?(old, value) }
      for observer in endObservers.all { observer.handler?(old, value) }
    }
  }

  /// Calls a closure with the old and new value after each change, until the result is released.
  ///
  /// The result does not keep the subject alive.
  public func observe(_ subscription: @escaping Subscription<Value>) -> any Disposable {
    observe(subscription, among: \.observers)
  }

  /// Calls a closure with the new value after each change, until the result is released.
  public func observe(_ subscription: @escaping (Value) -> Void) -> any Disposable {
    observe { _, new in subscription(new) }
  }

  /// Calls a closure after those of `observe(_:)`, until the result is released.
  public func observeEndOfUpdates(_ subscription: @escaping Subscription<Value>) -> any Disposable {
    observe(subscription, among: \.endObservers)
  }

  private func observe(
    _ subscription: @escaping Subscription<Value>,
    among observers: ReferenceWritableKeyPath<StoredSubject, Observers<Subscription<Value>>>
  ) -> any Disposable {
    let observer = Observer(subscription)
    self[keyPath: observers].add(observer)
    return Observation { [weak self] in
      observer.cancel()
      self?[keyPath: observers].remove(observer)
    }
  }
}

@available(*, unavailable)
extension StoredSubject: Sendable {}

/// A closure that receives the old and the new value of a subject.
@available(*, deprecated, message: "Write the type of the closure instead.")
public typealias Subscription<Value> = (_ oldValue: Value, _ newValue: Value) -> Void

/// An observation that ends when this object is released.
@available(*, deprecated, message: "Keep the result of `observe(_:)` of `Serialized` instead.")
public protocol Disposable {
  /// Adds the observation to a bag, so that it ends when the bag is released.
  func dispose(in bag: DisposeBag)
}

@available(*, deprecated, message: "Keep the result of `observe(_:)` of `Serialized` instead.")
extension Disposable {
  /// Adds the observation to a bag.
  public func dispose(in bag: DisposeBag) {
    bag.add(self)
  }
}

/// A container of observations, which end when it is released.
///
/// Like subjects, it is not synchronized.
@available(*, deprecated, message: "Keep an array of the results of `observe(_:)` instead.")
public final class DisposeBag {
  private var disposables: [any Disposable] = []

  /// Creates an empty bag.
  public init() {}

  func add(_ disposable: any Disposable) {
    disposables.append(disposable)
  }
}

@available(*, unavailable)
extension DisposeBag: Sendable {}
