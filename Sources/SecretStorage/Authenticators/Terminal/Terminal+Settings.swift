#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension termios {
  /// The same, but what is typed is neither shown nor edited, and is there key by key.
  var hidden: termios {
    var settings = self
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    // Whatever the app made of its terminal, the person can end a line and give up.
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_iflag &= ~tcflag_t(INLCR | IGNCR)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    return settings
  }

  /// Whether all modes of the terminal are the same as in other settings.
  func hasFlags(of other: termios) -> Bool {
    (c_iflag, c_oflag, c_cflag, c_lflag)
      == (other.c_iflag, other.c_oflag, other.c_cflag, other.c_lflag)
  }
}

extension TypedLine.Keys {
  /// The keys that edit a line by the settings of a terminal.
  init(of settings: termios) {
    // The array is made inside of the closure.
    let keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe Array($0) }
    self.init(
      erase: keys[Int(VERASE)], eraseWord: keys[Int(VWERASE)], eraseLine: keys[Int(VKILL)],
      end: keys[Int(VEOF)], literal: keys[Int(VLNEXT)],
      erasesCharacters: settings.c_iflag & tcflag_t(IUTF8) != 0)
  }
}
