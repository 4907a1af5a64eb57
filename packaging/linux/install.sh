#!/bin/sh
# Puts the program where programs of one user live, or removes it; nothing needs root.
#   ./install.sh              into ~/.local, or into the folder that PREFIX names
#   ./install.sh --remove     takes out what was put there, and leaves the user's own data alone
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-$HOME/.local}
id=org.ourmodels.OurModels

rm -rf "$prefix/lib/ourmodels" "$prefix/share/doc/ourmodels"
rm -f "$prefix/bin/ourmodels" "$prefix/share/man/man1/ourmodels.1.gz" \
  "$prefix/share/applications/$id.desktop" \
  "$prefix/share/metainfo/$id.metainfo.xml" "$prefix/share/mime/packages/$id.xml" \
  "$prefix"/share/icons/hicolor/*/apps/$id.png "$prefix"/share/icons/hicolor/*/apps/$id.svg
if [ "${1:-}" != --remove ]; then
  mkdir -p "$prefix"
  for part in bin lib share; do cp -a "$here/$part" "$prefix/"; done
  chmod -R u+w "$prefix/lib/ourmodels"
  echo "Installed; start it with $prefix/bin/ourmodels"
fi
# The menus and file types of the desktop, where it has the tools that list them.
if rmdir "$prefix/share/mime/packages" 2>/dev/null; then
  rm -rf "$prefix/share/mime" # only lists made of the packages that are gone
elif [ -d "$prefix/share/mime/packages" ]; then
  update-mime-database "$prefix/share/mime" 2>/dev/null || true
fi
if ls "$prefix"/share/applications/*.desktop >/dev/null 2>&1; then
  update-desktop-database "$prefix/share/applications" 2>/dev/null || true
else
  rm -f "$prefix/share/applications/mimeinfo.cache"
fi
if [ "${1:-}" = --remove ] && cd "$prefix" 2>/dev/null; then
  for folder in share/icons/hicolor/*/apps share/applications share/metainfo share/mime share/doc share/man/man1 bin lib; do
    rmdir -p "$folder" 2>/dev/null || true # only those that are empty now
  done
fi
