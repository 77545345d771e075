import { encodePng } from "./png.ts";

/** The animals that can be drawn. */
export const KINDS = ["dog", "cat", "bird", "fish", "rabbit", "turtle"] as const;

/** An animal that can be drawn. */
export type Kind = (typeof KINDS)[number];

type Colour = "coat" | "dark" | "light" | "eye" | "nose";

/** An ellipse, in hundredths of the picture: its middle, its half widths, and how far it leans in degrees. */
type Ellipse = readonly [colour: Colour, x: number, y: number, rx: number, ry: number, lean?: number];

/** The side of a picture in pixels. */
const SIDE = 128;

/** Points looked at along each side of a pixel, so that edges are smooth. */
const POINTS = 2;

const eyes = (y: number, apart: number): readonly Ellipse[] => [
	["light", 50 - apart - 1, y - 1.5, 1.4, 1.4],
	["light", 50 + apart - 1, y - 1.5, 1.4, 1.4],
	["eye", 50 - apart, y, 4, 5],
	["eye", 50 + apart, y, 4, 5],
];

/** Each animal from the front to the back: what comes first covers what follows. */
const ANIMALS: Readonly<Record<Kind, readonly Ellipse[]>> = {
	dog: [
		...eyes(44, 12),
		["nose", 50, 58, 6, 4],
		["light", 50, 64, 15, 12],
		["dark", 24, 42, 9, 20, 20],
		["dark", 76, 42, 9, 20, -20],
		["coat", 50, 50, 27, 28],
		["coat", 50, 98, 34, 26],
	],
	cat: [
		...eyes(46, 12),
		["nose", 50, 57, 4, 3],
		["light", 43, 62, 8, 6],
		["light", 57, 62, 8, 6],
		["coat", 50, 50, 28, 25],
		["dark", 30, 27, 8, 17, -28],
		["dark", 70, 27, 8, 17, 28],
		["coat", 50, 98, 30, 28],
		["dark", 84, 78, 5, 24, 12],
	],
	bird: [
		["light", 40, 31, 1.4, 1.4],
		["eye", 41, 33, 4, 4.5],
		["nose", 22, 39, 11, 5, -8],
		["dark", 62, 61, 19, 12, 28],
		["coat", 42, 37, 17, 16],
		["coat", 54, 58, 27, 21, 24],
		["dark", 85, 79, 16, 6, 32],
		["nose", 50, 84, 2, 12],
		["nose", 58, 84, 2, 12],
	],
	fish: [
		["light", 29, 43, 1.6, 1.6],
		["eye", 30, 45, 4.5, 5],
		["light", 22, 58, 7, 2, 14],
		["dark", 52, 56, 10, 5, 32],
		["coat", 46, 50, 32, 21],
		["dark", 50, 31, 18, 8, 12],
		["dark", 82, 39, 15, 7, -42],
		["dark", 82, 61, 15, 7, 42],
	],
	rabbit: [
		...eyes(52, 10),
		["nose", 50, 61, 4, 3],
		["light", 50, 67, 11, 8],
		["light", 39, 20, 3.5, 14, -6],
		["light", 61, 20, 3.5, 14, 6],
		["coat", 39, 20, 8, 22, -6],
		["coat", 61, 20, 8, 22, 6],
		["coat", 50, 57, 24, 22],
		["dark", 50, 100, 29, 24],
	],
	turtle: [
		["light", 19, 43, 1.2, 1.2],
		["eye", 20, 45, 3, 3.5],
		["light", 45, 46, 7, 8],
		["light", 61, 46, 7, 8],
		["light", 53, 61, 7, 6],
		["dark", 54, 53, 29, 22],
		["coat", 21, 49, 12, 10],
		["coat", 37, 74, 7, 10, 14],
		["coat", 71, 74, 7, 10, -14],
		["coat", 86, 64, 9, 3, 24],
	],
};

/** Draws an animal as PNG, 128 pixels wide; the number chooses its colours. The same every time. */
export function drawPicture(kind: Kind, number: number): Buffer {
	const hue = (number * 47) % 360;
	const colours: Readonly<Record<Colour, readonly number[]>> = {
		coat: rgbOf(hue, { saturation: 0.45, lightness: 0.56 }),
		dark: rgbOf(hue, { saturation: 0.45, lightness: 0.38 }),
		light: rgbOf(hue, { saturation: 0.5, lightness: 0.88 }),
		eye: [24, 24, 28],
		nose: [214, 132, 60],
	};
	const ground = rgbOf((hue + 180) % 360, { saturation: 0.35, lightness: 0.9 });
	const rgb = new Uint8Array(SIDE * SIDE * 3);
	for (let pixel = 0; pixel < SIDE * SIDE; pixel++) {
		const seen = pointsOf(pixel).map(([x, y]) => {
			const hit = ANIMALS[kind].find((ellipse) => isIn(ellipse, x, y));
			return hit === undefined ? ground : colours[hit[0]];
		});
		for (let part = 0; part < 3; part++) {
			rgb[pixel * 3 + part] = seen.reduce((sum, colour) => sum + (colour[part] ?? 0), 0) / seen.length;
		}
	}
	return encodePng({ side: SIDE, rgb });
}

/** The points of a pixel, in hundredths of the picture. */
function pointsOf(pixel: number): readonly (readonly [x: number, y: number])[] {
	return Array.from({ length: POINTS ** 2 }, (_, point) => [
		(((pixel % SIDE) + ((point % POINTS) + 0.5) / POINTS) / SIDE) * 100,
		((Math.floor(pixel / SIDE) + (Math.floor(point / POINTS) + 0.5) / POINTS) / SIDE) * 100,
	]);
}

function isIn([, x, y, rx, ry, lean = 0]: Ellipse, px: number, py: number): boolean {
	const angle = (-lean * Math.PI) / 180;
	const [dx, dy] = [px - x, py - y];
	const along = dx * Math.cos(angle) - dy * Math.sin(angle);
	const across = dx * Math.sin(angle) + dy * Math.cos(angle);
	return (along / rx) ** 2 + (across / ry) ** 2 <= 1;
}

function rgbOf(hue: number, { saturation, lightness }: { saturation: number; lightness: number }): readonly number[] {
	const reach = saturation * Math.min(lightness, 1 - lightness);
	return [0, 8, 4].map((shift) => {
		const k = (shift + hue / 30) % 12;
		return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	});
}
