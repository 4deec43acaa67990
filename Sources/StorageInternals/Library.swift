#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A C library that is opened while the program runs, so that building needs nothing of it.
///
/// It stays loaded until the process ends: function pointers, thread-local destructors and exit
/// handlers of a library point into its code, and nothing says when the last of them is gone.
@safe package struct Library: @unchecked Sendable {
  // `@unchecked`: the handle is never written after `init`, and `dlsym` may be called on it from
  // several threads.
  private let handle: UnsafeMutableRawPointer

  /// The name under which the library was found.
  package let name: String

  /// Opens the first of several libraries that is there, such as the newer and the older version.
  ///
  /// - Parameters:
  ///   - names: What the library is called, the preferred name first.
  ///   - packages: By distribution, the name of the package that brings the library.
  /// - Throws: ``LibraryError/notLoaded(names:reasons:packages:)`` when none can be loaded.
  package init(anyOf names: [String], packages: [String: String]) throws(LibraryError) {
    var reasons: [String] = []
    for name in names {
      // `dlopen` copies the name and runs the library's initializers, which is why only names
      // that are written in the source get here.
      if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) {
        unsafe self.handle = handle
        self.name = name
        return
      }
      reasons.append(Self.lastError ?? "\(name): no reason given")
    }
    throw .notLoaded(names: names, reasons: reasons, packages: packages)
  }

  /// The address of a function or variable of the library, or nil if it has none of that name.
  package func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    // The handle is open for as long as the process runs.
    unsafe dlsym(handle, name)
  }

  /// A function of the library, as a C function type that the caller must get right.
  ///
  /// - Throws: ``LibraryError/symbolMissing(_:library:)`` when the library has none of that name.
  package func function<Function>(
    _ name: String, as type: Function.Type
  ) throws(LibraryError) -> Function {
    guard MemoryLayout<Function>.size == MemoryLayout<Int>.size else {
      fatalError("\(type) is not the type of a C function: write @convention(c) before it.")
    }
    guard let address = unsafe symbol(name) else {
      throw .symbolMissing(name, library: self.name)
    }
    // POSIX has `dlsym` answer functions as data pointers. That the function has this type is
    // what the caller states, beside the prototype from the library's header.
    return unsafe unsafeBitCast(address, to: type)
  }

  /// What the dynamic linker says of the last failure on this thread.
  private static var lastError: String? {
    // The text is copied before another call on this thread can overwrite it.
    unsafe dlerror().map { unsafe String(cString: $0) }
  }
}

/// Why a C library, or something in it, cannot be used.
package enum LibraryError: Error, Hashable, Sendable {
  /// None of the names could be loaded, for the dynamic linker's reasons in the same order.
  case notLoaded(names: [String], reasons: [String], packages: [String: String])

  /// The library is there, but has no symbol of a name.
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
