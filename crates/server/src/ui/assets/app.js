// Starts what scripts add to a page. Every page works without them.

import { startSearch } from './search.js';
import { startHover } from './hover.js';
import { startKeys } from './keys.js';
import { startGraph } from './graph.js';
import { startLater, startLive } from './live.js';
import { startFile, startPlaces } from './file.js';

// What is done to the content of a page, again after it was replaced.
function enhance() {
  startFile();
  startGraph();
}

enhance();
document.addEventListener('codecompass:replaced', enhance);
startPlaces();
startSearch();
startHover();
startKeys();
startLive();
startLater();
