/** User settings of an editor that only shows Loom: nothing that asks, updates, reports or moves by itself. */
export const quietSettings: Readonly<Record<string, unknown>> = {
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "workbench.enableExperiments": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.reduceMotion": "on",
  "window.autoDetectColorScheme": false,
  "window.restoreWindows": "none",
  "window.confirmBeforeClose": "never",
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.enabled": false,
};
