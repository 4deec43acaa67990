import CLibrary

/// A C library that is loaded at run time, so that it is not a build dependency.
///
/// The library remains loaded until the process ends, because function pointers, thread-local
/// destructors and exit handlers may refer to its code.
@safe package struct DynamicLibrary: @unchecked Sendable {
  // `@unchecked`: the handle does not change after `init`, and `dlsym` is thread-safe.
  private let handle: UnsafeMutableRawPointer

  /// The name by which the library was found.
  package let name: String

  /// Loads the first available library of several names, such as a newer and an older version.
  ///
  /// The error message lists `packages`, the packages that contain the library, by distribution.
  package init(anyOf names: [String], packages: [String: String]) throws(DynamicLibraryError) {
    var reasons: [String] = []
    for name in names {
      // `dlopen` runs the library's initializers, so the names must be constants in the source.
      if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) {
        unsafe self.handle = handle
        self.name = name
        return
      }
      reasons.append(Self.lastError ?? "\(name): no reason given")
    }
    throw .notLoaded(names: names, reasons: reasons, packages: packages)
  }

  /// Returns the address of a function or variable of the library, or nil if it is missing.
  package func symbol(_ name: String) -> UnsafeMutableRawPointer? { unsafe dlsym(handle, name) }

  /// Returns a function of the library; the caller guarantees that the type is correct.
  package func function<Function>(
    _ name: String, as type: Function.Type
  ) throws(DynamicLibraryError) -> Function {
    guard MemoryLayout<Function>.size == MemoryLayout<Int>.size else {
      fatalError("\(type) is not the type of a C function: write @convention(c) before it.")
    }
    guard let address = unsafe symbol(name) else { throw .symbolMissing(name, library: self.name) }
    // POSIX specifies that `dlsym` returns functions as data pointers.
    return unsafe unsafeBitCast(address, to: type)
  }

  /// The dynamic linker's message for the calling thread's last error.
  private static var lastError: String? {
    // The message is copied, because the thread's next error overwrites it.
    unsafe dlerror().map { unsafe String(cString: $0) }
  }
}

/// An error that occurs when a C library, or a symbol of it, cannot be loaded.
package enum DynamicLibraryError: Error, Hashable, Sendable {
  /// No library could be loaded; the dynamic linker's reasons are in the order of the names.
  case notLoaded(names: [String], reasons: [String], packages: [String: String])

  /// The library was loaded, but does not have the symbol.
  case symbolMissing(String, library: String)
}

extension DynamicLibraryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notLoaded(let names, let reasons, let packages):
      let advice = packages.sorted { $0.key < $1.key }
        .map { "\($0.value) (\($0.key))" }.joined(separator: ", ")
      return """
        The C library \(names.joined(separator: " or ")) cannot be loaded: \
        \(reasons.joined(separator: "; ")).\
        \(advice.isEmpty ? "" : " Install the package that contains it: \(advice).")
        """
    case .symbolMissing(let symbol, let library):
      return """
        The C library \(library) has no symbol \(symbol). \
        Install a version of the library that has it.
        """
    }
  }
}
