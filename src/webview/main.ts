import { systemClock } from "#base/clock.ts";
import { connectHost } from "./host.ts";
import { Panel } from "./panel.ts";

const root = document.getElementById("app");
if (root !== null) new Panel(root, connectHost(), systemClock).start();
