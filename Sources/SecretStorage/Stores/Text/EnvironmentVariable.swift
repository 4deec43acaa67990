import CLibrary
import StorageInternals

/// A variable of the environment, whose value is not copied into a `String`.
///
/// The C library does not lock the environment against threads that read it, so that the caller has
/// to exclude them.
struct EnvironmentVariable {
  let name: String
  let value: Secret

  /// Returns the variables whose names begin with a prefix and are longer.
  ///
  /// Of several variables with one name, `getenv` finds the first, and so does this method. A name
  /// that is not UTF-8 is left out.
  static func all(prefix: String) -> [EnvironmentVariable] {
    let prefix = Array(prefix.utf8)
    var found: [EnvironmentVariable] = []
    var names: Set<[UInt8]> = []
    guard var position = unsafe strings else { return [] }
    while let string = unsafe position.pointee {
      unsafe position += 1
      let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
      guard unsafe bytes.starts(with: prefix),
        let sign = unsafe bytes[prefix.count...].firstIndex(of: equalsSign), sign > prefix.count,
        let name = unsafe String(validating: bytes[..<sign], as: UTF8.self),
        names.insert(Array(name.utf8)).inserted
      else { continue }
      let value = unsafe Secret(bytes[(sign + 1)...])
      found.append(EnvironmentVariable(name: name, value: value))
    }
    return found
  }

  /// Removes variables from the environment, and overwrites their initial strings.
  ///
  /// The kernel shows the memory of the initial strings in `/proc/self/environ`. A string that
  /// `setenv` or `putenv` has put in its place is elsewhere, where it may not be overwritten: it
  /// may be a constant, or memory that the C library has freed.
  static func remove(_ names: Set<[UInt8]>) {
    if names.isEmpty { return }
    // In one pass, where `unsetenv` would take one for each variable.
    if var source = unsafe strings {
      var target = unsafe source
      while let string = unsafe source.pointee {
        unsafe source += 1
        let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
        if unsafe names.contains(name(in: bytes[...])) { continue }
        unsafe target.pointee = string
        unsafe target += 1
      }
      unsafe target.pointee = nil
    }
    guard let range = initialStrings else { return }
    let memory = unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: range.lowerBound), count: range.count)
    var start = 0
    while start < range.count {
      let rest = unsafe UnsafeRawBufferPointer(memory)[start...]
      let end = unsafe rest.firstIndex(of: 0) ?? range.count
      if unsafe names.contains(name(in: rest[..<end])) {
        for index in start..<end { unsafe memory[index] = 0 }
      }
      start = end + 1
    }
  }

  /// Returns the bytes before the equals sign.
  private static func name(in string: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    unsafe Array(string.prefix { $0 != equalsSign })
  }

  /// The strings of the environment, and nil at the end; nil after `clearenv`.
  private static var strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    // Imported as a pointer that is never null.
    unsafe UnsafeMutablePointer(bitPattern: UInt(bitPattern: environ))
  }

  private static let equalsSign = UInt8(ascii: "=")

  /// The addresses of the initial strings, which the kernel has put on the first thread's stack;
  /// nil if `/proc` is missing.
  private static var initialStrings: Range<UInt>? {
    let status: [UInt8]
    do {
      status = try FileSystem().open("/proc/self/stat", O_RDONLY).read(from: 0, count: 4096)
    } catch {
      return nil
    }
    // The second field is the name of the program, in which there may be spaces and parentheses.
    guard let name = status.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = status[(name + 1)...].split(separator: UInt8(ascii: " "))
    // env_start and env_end, the fields 50 and 51.
    guard fields.count > 48, let start = UInt(String(decoding: fields[47], as: UTF8.self)),
      let end = UInt(String(decoding: fields[48], as: UTF8.self)), start > 0, start < end
    else { return nil }
    return start..<end
  }
}
