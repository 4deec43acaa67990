/// A text, under the name that it has in Apple's Core Foundation.
@available(*, deprecated, renamed: "String")
public typealias CFString = String

/// A number, under the name that it has in Apple's Core Foundation.
@available(*, deprecated, renamed: "Int")
public typealias CFNumber = Int

/// The result code of a call, under the name that it has in Apple's frameworks.
@available(*, deprecated, renamed: "Int32")
public typealias OSStatus = Int32
