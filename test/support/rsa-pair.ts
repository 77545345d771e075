import { generateKeyPairSync } from "node:crypto";

/** An RSA key of 2048 bits and its public half. Making one takes long, so the tests of a process share it. */
export const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
