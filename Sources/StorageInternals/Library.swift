import CLibrary

/// A C library that is loaded at run time, so that a build does not need it.
///
/// The library stays loaded until the process ends: function pointers, thread-local destructors and
/// exit handlers point into its code, and the end of their use is unknown.
@safe package struct Library: @unchecked Sendable {
  // `@unchecked`: the handle is never written after `init`, and `dlsym` may be called on it from
  // several threads.
  private let handle: UnsafeMutableRawPointer

  /// The name under which the library was found.
  package let name: String

  /// Opens the first available library of several, such as the newer and the older version.
  ///
  /// - Parameters:
  ///   - names: The library's names, the preferred one first.
  ///   - packages: The name of the package that contains the library, by distribution.
  /// - Throws: ``LibraryError/notLoaded(names:reasons:packages:)`` when none can be loaded.
  package init(anyOf names: [String], packages: [String: String]) throws(LibraryError) {
    var reasons: [String] = []
    for name in names {
      // `dlopen` copies the name and runs the library's initializers, so only names written in the
      // source may get here.
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
  package func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    // The handle stays open until the process ends.
    unsafe dlsym(handle, name)
  }

  /// Returns a function of the library, as a C function type that the caller guarantees.
  ///
  /// - Throws: ``LibraryError/symbolMissing(_:library:)`` when the library has no such symbol.
  package func function<Function>(
    _ name: String, as type: Function.Type
  ) throws(LibraryError) -> Function {
    guard MemoryLayout<Function>.size == MemoryLayout<Int>.size else {
      fatalError("\(type) is not the type of a C function: write @convention(c) before it.")
    }
    guard let address = unsafe symbol(name) else {
      throw .symbolMissing(name, library: self.name)
    }
    // POSIX makes `dlsym` return functions as data pointers. The caller guarantees the function's
    // type, beside the prototype from the library's header.
    return unsafe unsafeBitCast(address, to: type)
  }

  /// The dynamic linker's message about the last failure on this thread.
  private static var lastError: String? {
    // The text is copied before another call on this thread can overwrite it.
    unsafe dlerror().map { unsafe String(cString: $0) }
  }
}

/// The reason why a C library, or a symbol in it, cannot be used.
package enum LibraryError: Error, Hashable, Sendable {
  /// None of the names could be loaded; the dynamic linker's reasons are in the same order.
  case notLoaded(names: [String], reasons: [String], packages: [String: String])

  /// The library was loaded, but lacks a symbol.
  case symbolMissing(String, library: String)
}

extension LibraryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notLoaded(let names, let reasons, let packages):
      let advice = packages.sorted { $0.key < $1.key }
        .map { "\($0.value) (\($0.key))" }.joined(separator: ", ")
      return """
        The C library \(names.joined(separator: " or ")) cannot be loaded: \
        \(reasons.joined(separator: "; ")).\
        \(advice.isEmpty ? "" : " Install the package that brings it: \(advice).")
        """
    case .symbolMissing(let symbol, let library):
      return """
        The C library \(library) has no symbol \(symbol). \
        Install a version of the library that has it.
        """
    }
  }
}
