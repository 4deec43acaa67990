import CLibrary

extension termios {
  /// A copy of the settings in which input is neither shown nor edited, and is available
  /// immediately.
  var hidden: termios {
    var settings = self
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    // Regardless of the app's settings, the user can end the line or cancel.
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_iflag &= ~tcflag_t(INLCR | IGNCR)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    return settings
  }

  /// Returns whether all modes are equal to those of other settings.
  func hasFlags(of other: termios) -> Bool {
    (c_iflag, c_oflag, c_cflag, c_lflag)
      == (other.c_iflag, other.c_oflag, other.c_cflag, other.c_lflag)
  }
}

extension TypedLine.Keys {
  /// Reads the editing keys from the settings of a terminal.
  init(of settings: termios) {
    let keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe Array($0) }
    self.init(
      erase: keys[Int(VERASE)], eraseWord: keys[Int(VWERASE)], eraseLine: keys[Int(VKILL)],
      end: keys[Int(VEOF)], literal: keys[Int(VLNEXT)],
      erasesCharacters: settings.c_iflag & tcflag_t(IUTF8) != 0)
  }
}
