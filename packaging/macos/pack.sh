#!/bin/sh
# UNTESTED: written without a Mac at hand. Makes dist/ourmodels-VERSION-macos-MACHINE.dmg of the bundle.
# Signing: SIGN="Developer ID Application: ..." make package signs every binary with the hardened
# runtime; then NOTARY=PROFILE (of `xcrun notarytool store-credentials`) has Apple notarize the image.
# Without them the first start is refused until System Settings, Privacy & Security, Open Anyway.
set -eu
cd "$(dirname "$0")/../.."
app="dist/Our Models.app"
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' ourmodels_gui/__init__.py)
image="dist/ourmodels-$version-macos-$(uname -m).dmg"
codesign --verify --deep --strict "$app"
"$app/Contents/MacOS/ourmodels" --smoke
staging=build/macos
rm -rf "$staging"
mkdir -p "$staging"
cp -R "$app" "$staging/"
ln -s /Applications "$staging/Applications"
hdiutil create -volname "Our Models" -srcfolder "$staging" -ov -format UDZO "$image"
if [ -n "${NOTARY:-}" ]; then
  codesign --sign "$SIGN" --timestamp "$image"
  xcrun notarytool submit "$image" --keychain-profile "$NOTARY" --wait
  xcrun stapler staple "$image"
fi
