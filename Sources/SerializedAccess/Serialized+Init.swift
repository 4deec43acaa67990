public import Dispatch

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
  ///   - customQueue: The label of the queue, which debuggers and the messages of this type show.
  public convenience init(wrappedValue: Value, customQueue: String) {
    self.init(wrappedValue, customQueue: customQueue)
  }

  /// Creates a value with a private queue of a given name, to be held in a constant.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: The label of the queue, which debuggers and the messages of this type show.
  public convenience init(_ wrappedValue: Value, customQueue: String) {
    self.init(wrappedValue, queue: DispatchQueue(label: customQueue), callersQueue: nil)
  }

  /// Creates a value whose accesses and observers all run on a given queue.
  ///
  /// <doc:CustomQueues> says what that costs. A concurrent queue ends the process with a message.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: A serial queue, which may have other work and may serve several values.
  public convenience init(wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(wrappedValue, customQueue: customQueue)
  }

  /// Creates a value whose accesses and observers all run on a given queue, for a constant.
  ///
  /// <doc:CustomQueues> says what that costs. A concurrent queue ends the process with a message.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - customQueue: A serial queue, which may have other work and may serve several values.
  public convenience init(_ wrappedValue: Value, customQueue: DispatchQueue) {
    self.init(wrappedValue, queue: customQueue, callersQueue: CallersQueue(customQueue))
  }
}
