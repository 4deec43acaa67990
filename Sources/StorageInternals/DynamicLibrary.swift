import CLibrary

/// A C library that is loaded at run time, until the process ends: exit handlers may refer to its
/// code.
@safe package struct DynamicLibrary: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  package let name: String

  /// Loads the first available library of several names; `packages` are those that contain it, by
  /// distribution.
  package init(anyOf names: [String], packages: [String: String]) throws(Unavailable) {
    var reasons: [String] = []
    for name in names {
      // `dlopen` runs the library's initializers, so the names must be constants in the source.
      if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) {
        unsafe self.handle = handle
        self.name = name
        return
      }
      let reason = unsafe dlerror().map { unsafe String(cString: $0) }
      reasons.append(reason ?? "\(name): no reason given")
    }
    let advice = packages.sorted { $0.key < $1.key }
      .map { "\($0.value) (\($0.key))" }.joined(separator: ", ")
    throw Unavailable(
      """
      The C library \(names.joined(separator: " or ")) cannot be loaded: \
      \(reasons.joined(separator: "; ")).\
      \(advice.isEmpty ? "" : " Install the package that contains it: \(advice).")
      """)
  }

  /// Returns the address of a function or variable of the library, or nil if it is missing.
  package func symbol(_ name: String) -> UnsafeMutableRawPointer? { unsafe dlsym(handle, name) }

  /// Returns a function of the library; the caller guarantees that the type is correct.
  package func function<Function>(
    _ name: String, as type: Function.Type = Function.self
  ) throws(Unavailable) -> Function {
    guard MemoryLayout<Function>.size == MemoryLayout<Int>.size else {
      fatalError("\(type) is not the type of a C function: write @convention(c) before it.")
    }
    guard let address = unsafe symbol(name) else { throw .missing(name, in: self) }
    return unsafe unsafeBitCast(address, to: type)
  }
}

/// The reason, in sentences, why a part of the system cannot be used.
package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  package static func missing(_ symbol: String, in library: DynamicLibrary) -> Unavailable {
    Unavailable(
      """
      The C library \(library.name) has no symbol \(symbol). \
      Install a version of the library that has it.
      """)
  }
}
