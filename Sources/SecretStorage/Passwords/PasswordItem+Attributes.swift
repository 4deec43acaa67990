public import FoundationEssentials

extension PasswordItem {
  /// What is noted about the item, read as the ``RefreshPolicy`` says; setting waits for a save.
  ///
  /// A save is `save()`, or the next set of a ``value`` that is not ``RefreshPolicy/manual``. It
  /// writes the attributes that were changed here, and clears those that were set to nil; under
  /// `manual`, load the item before. The ``AccessControl`` of an existing item stays as it is unless
  /// it is set here. While there is no item, these are the attributes that it will be added with.
  public var attributes: ItemAttributes {
    get { stored.attributes }
    set { stored.setAttributes(newValue) }
  }

  /// When the item was added, by the store's clock; nil if there is none or it is not known.
  public var creationDate: Date? { stored.item()?.creationDate }

  /// When the item was last changed, by the store's clock; nil if there is none or it is not known.
  public var modificationDate: Date? { stored.item()?.modificationDate }
}
