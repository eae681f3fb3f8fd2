// The console's behaviour. Every page reads without it; nothing here is inline or evaluated.
import { startAnnouncements } from "./modules/announce.js";
import { startConnection } from "./modules/connection.js";
import { startDialogs } from "./modules/dialogs.js";
import { startDrafts } from "./modules/drafts.js";
import { startFocus } from "./modules/focus.js";
import { startKeyboard } from "./modules/keyboard.js";
import { startMenus } from "./modules/menus.js";
import { startPreferences } from "./modules/preferences.js";
import { startProof } from "./modules/proof.js";
import { startToasts } from "./modules/toasts.js";

startProof();
startAnnouncements();
startToasts();
startConnection();
startDialogs();
startMenus();
startDrafts();
startKeyboard();
startFocus();
startPreferences();
document.documentElement.dataset.ready = "true";
