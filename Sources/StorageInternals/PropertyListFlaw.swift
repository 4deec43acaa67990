/// Why a property list is not given to a decoder, which trusts it more than a stranger's bytes deserve.
package enum PropertyListFlaw: Error {
  case damaged
  case tooDeep
  case tooManyValues
  case tooLarge
}
