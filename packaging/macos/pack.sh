#!/bin/sh
# UNTESTED: written without a Mac at hand. Makes dist/ourmodels-VERSION-macos.dmg of the bundle.
# Signing: SIGN="Developer ID Application: ..." signs with the hardened runtime; without it the
# bundle gets an ad-hoc signature, and the first start needs a right click and "Open".
set -eu
cd "$(dirname "$0")/../.."
app="dist/Our Models.app"
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' ourmodels_gui/__init__.py)
codesign --force --deep --sign "${SIGN:--}" ${SIGN:+--options runtime --timestamp} \
  --entitlements packaging/macos/entitlements.plist "$app"
"$app/Contents/MacOS/ourmodels" --smoke
staging=build/macos
rm -rf "$staging"
mkdir -p "$staging"
cp -R "$app" "$staging/"
ln -s /Applications "$staging/Applications"
hdiutil create -volname "Our Models" -srcfolder "$staging" -ov -format UDZO \
  "dist/ourmodels-$version-macos.dmg"
