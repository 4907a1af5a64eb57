; UNTESTED: written without a Windows at hand. Inno Setup 6.3 or newer makes the installer of the bundle:
;   iscc /DVersion=... packaging\windows\ourmodels.iss
; It installs for the current user, needs no administrator, and leaves the user's own data alone.

#ifndef Version
  #error Give the version: iscc /DVersion=...
#endif
#define Name "Our Models"
#define Scenario "OurModels.Scenario"

[Setup]
AppId={{6B0C5B0E-6C0F-4E0B-9B64-3B4C2C5B6D51}
AppName={#Name}
AppVersion={#Version}
AppPublisher=The Our Models Desktop authors
DefaultDirName={autopf}\Our Models
DefaultGroupName={#Name}
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
SourceDir=..\..
OutputDir=dist
OutputBaseFilename=ourmodels-{#Version}-windows
LicenseFile=LICENSE
SetupIconFile=build\icons\ourmodels.ico
UninstallDisplayIcon={app}\ourmodels.exe
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked

[InstallDelete]
; an update leaves no library of an older version behind
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "dist\ourmodels\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs

[Icons]
Name: "{group}\{#Name}"; Filename: "{app}\ourmodels.exe"
Name: "{autodesktop}\{#Name}"; Filename: "{app}\ourmodels.exe"; Tasks: desktopicon

[Registry]
; Windows knows files by their last ending alone, which is json here and belongs to others; so the
; program joins "Open with" for it and takes nothing over.
Root: HKA; Subkey: "Software\Classes\.json\OpenWithProgids"; ValueType: string; ValueName: "{#Scenario}"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\{#Scenario}"; ValueType: string; ValueData: "Our Models scenario"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\{#Scenario}\DefaultIcon"; ValueType: string; ValueData: "{app}\ourmodels.exe,0"
Root: HKA; Subkey: "Software\Classes\{#Scenario}\shell\open\command"; ValueType: string; ValueData: """{app}\ourmodels.exe"" gui ""%1"""

[Run]
Filename: "{app}\ourmodels.exe"; Description: "{cm:LaunchProgram,{#Name}}"; Flags: nowait postinstall skipifsilent
