/** Of every container we start: the folder it works in. */
export const folderLabel = "gatebench.folder";
/** And the place that folder belongs to, so that Docker alone can find all of a place. */
export const placeLabel = "gatebench.place";
