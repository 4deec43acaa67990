/// A message of the bus, which is written or read from its beginning to its end.
///
/// A type is a character of D-Bus: `s` a string, `o` a path, `b` a Boolean, `t` a UInt64, `a` an
/// array, `r` a structure, `e` a dictionary's entry, `v` a variant. The library checks that what
/// other processes send is valid, and that strings are UTF-8.
@safe final class BusMessage {
  let message: BusLibrary.Message
  private let library: BusLibrary

  /// Takes over the caller's reference to a message.
  init(_ message: BusLibrary.Message, of library: BusLibrary) {
    unsafe self.message = message
    self.library = library
  }

  deinit { _ = unsafe library.releaseMessage(message) }

  /// Makes the library overwrite the message, and the reply to it, when they are released.
  func markSensitive() { _ = unsafe library.markSensitive?(message) }

  var path: String { unsafe Self.string(library.path(message)) }
  var interface: String { unsafe Self.string(library.interface(message)) }
  var member: String { unsafe Self.string(library.member(message)) }
  var sender: String { unsafe Self.string(library.sender(message)) }

  private static func string(_ string: BusLibrary.CString?) -> String {
    unsafe string.map { unsafe String(cString: $0) } ?? ""
  }

  // MARK: Writing

  func append(_ string: String, as type: Unicode.Scalar = "s") throws(BusFailure) {
    if string.utf8.contains(0) { throw .malformed("a string with a null character") }
    let code = unsafe string.withCString { unsafe library.appendBasic(message, type.code, $0) }
    try Self.check(code)
  }

  func append(_ number: Int32, as type: Unicode.Scalar) throws(BusFailure) {
    var number = number
    try Self.check(unsafe library.appendBasic(message, type.code, &number))
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(BusFailure) {
    try Self.check(
      unsafe library.appendArray(
        message, Unicode.Scalar("y").code, bytes.baseAddress, bytes.count))
  }

  func append(_ bytes: [UInt8]) throws(BusFailure) {
    // Typed errors do not pass through the closure of an array.
    let result = unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(BusFailure) in try unsafe append(bytes) }
    }
    try result.get()
  }

  /// Writes a container, whose content has the given types.
  func write(
    _ type: Unicode.Scalar, of types: String, _ body: () throws(BusFailure) -> Void
  ) throws(BusFailure) {
    try Self.check(unsafe library.openContainer(message, type.code, types))
    try body()
    try Self.check(unsafe library.closeContainer(message))
  }

  // MARK: Reading

  func string(_ type: Unicode.Scalar = "s") throws(BusFailure) -> String {
    var pointer: BusLibrary.CString?
    try Self.check(unsafe library.readBasic(message, type.code, &pointer), isRead: true)
    return unsafe Self.string(pointer)
  }

  /// Reads a number whose type in Swift is that of the given one.
  func number<Number: BitwiseCopyable>(
    _ type: Unicode.Scalar, _ initial: Number
  ) throws(BusFailure) -> Number {
    var number = initial
    try Self.check(unsafe library.readBasic(message, type.code, &number), isRead: true)
    return number
  }

  /// Reads an array of bytes in the message's own memory, which the closure must not keep.
  func bytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(BusFailure) -> Result
  ) throws(BusFailure) -> Result {
    var start: UnsafeRawPointer?
    var count = 0
    try Self.check(
      unsafe library.readArray(message, Unicode.Scalar("y").code, &start, &count), isRead: true)
    return try unsafe body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Reads a container, whose content has the given types.
  func read<Result>(
    _ type: Unicode.Scalar, of types: String, _ body: () throws(BusFailure) -> Result
  ) throws(BusFailure) -> Result {
    try Self.check(unsafe library.enterContainer(message, type.code, types), isRead: true)
    let result = try body()
    try Self.check(unsafe library.exitContainer(message))
    return result
  }

  /// Reads the elements of an array.
  func readEach(of types: String, _ body: () throws(BusFailure) -> Void) throws(BusFailure) {
    try read("a", of: types) { () throws(BusFailure) in
      var count = 0
      while unsafe library.isAtEnd(message, 0) == 0 {
        count += 1
        if count > Self.largestCount { throw .malformed("an array of too many elements") }
        try body()
      }
    }
  }

  /// The most elements of an array, since a message may have 128 MiB.
  static let largestCount = 100_000

  /// Reads a value of a type that the caller's context names.
  func result<Result: BusResult>(_: Result.Type = Result.self) throws(BusFailure) -> Result {
    try Result(from: self)
  }

  /// Reads a value that is in a variant.
  func variant<Result: BusResult>(_: Result.Type = Result.self) throws(BusFailure) -> Result {
    try read("v", of: Result.signature) { () throws(BusFailure) in try Result(from: self) }
  }

  /// Skips a value of any type.
  func skip(_ types: String) throws(BusFailure) {
    try Self.check(unsafe library.skip(message, types), isRead: true)
  }

  /// Throws if the library has failed or, while reading, if there is no value of the type.
  private static func check(_ code: Int32, isRead: Bool = false) throws(BusFailure) {
    if code < 0 || isRead && code == 0 {
      throw .malformed("a message of an unexpected form")
    }
  }
}

extension Unicode.Scalar {
  /// The character of a D-Bus type for C.
  var code: CChar { CChar(truncatingIfNeeded: value) }
}
